import { join } from 'node:path';
import { blocksOf, follow } from '../support/guide.js';
import { type Installed, install, link } from '../support/installed.js';

describe('guides: an adapter of your own', function () {
  this.timeout(240_000); // builds, packs, and runs cases of the kit
  it('serves all plugins as written', async () => {
    const installed: Installed = install();
    try {
      link(join(installed.folder, 'node_modules'), 'classic-level');
      const blocks = blocksOf('adapters/README.md', 'The tour: from an empty folder to all plugins');
      await follow(blocks, { folder: installed.folder });
    } finally {
      installed.remove();
    }
  });
});
