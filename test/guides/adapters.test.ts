import { blocksOf, follow } from '../support/guide.js';
import { type Installed, install } from '../support/installed.js';

describe('guides: an adapter of your own', function () {
  this.timeout(240_000); // builds, packs, and runs the kit twice
  it('passes the conformance kit as written', async () => {
    const installed: Installed = install();
    try {
      const blocks = blocksOf('adapters/README.md', 'An adapter of your own, from an empty folder');
      await follow(blocks, { folder: installed.folder });
    } finally {
      installed.remove();
    }
  });
});
