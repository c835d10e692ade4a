import { blocksOf, follow } from '../support/guide.js';
import { type Installed, install } from '../support/installed.js';

const guide = 'config/loqusdb.md';

describe('guides: moving from loqusdb', function () {
  this.timeout(180_000); // builds, packs, and runs many commands
  let installed: Installed;
  before(() => {
    installed = install();
  });
  after(() => installed.remove());

  it('imports a case, and answers what Scout asks over HTTP and on the command line', () =>
    follow([...blocksOf(guide, 'Step by step'), ...blocksOf(guide, 'The command line')], { folder: installed.folder }));
});
