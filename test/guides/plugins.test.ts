import { dealt } from '../support/dealt.js';
import { engines } from '../support/engines.js';
import { type Block, blocksOf, follow } from '../support/guide.js';
import { type Installed, install } from '../support/installed.js';

describe('guides: a plugin of your own', function () {
  this.timeout(120_000); // builds, packs, and runs many commands
  for (const engine of dealt(engines, 'sqlite')) {
    it(`works as written on ${engine.name}`, async () => {
      const installed: Installed = install();
      const storage = await engine.lead();
      try {
        const own = blocksOf('plugins/README.md', 'A plugin of your own, from an empty folder');
        const services = blocksOf('plugins/README.md', 'Services between plugins');
        const configured: Block = { language: 'sh', rest: '', text: 'export TREFOIL_CONFIG=trefoil.yaml' };
        await follow(own, { folder: installed.folder, env: storage.env });
        const events = blocksOf('plugins/README.md', 'Events between plugins');
        await follow([configured, ...services], { folder: installed.folder, env: storage.env });
        await follow([configured, ...events], { folder: installed.folder, env: storage.env });
      } finally {
        await storage.drop();
        installed.remove();
      }
    });
  }
});
