import { blocksOf, follow } from '../support/guide.js';
import { type Installed, install } from '../support/installed.js';

describe('guides: gene panels', function () {
  this.timeout(120_000); // builds, packs, and runs commands
  let installed: Installed;
  before(() => {
    installed = install();
  });
  after(() => installed.remove());

  it('loads names, imports panels and compares them', () =>
    follow(blocksOf('config/panels.md', 'Step by step'), {
      folder: installed.folder,
      env: { TREFOIL_CONFIG: 'node_modules/trefoil/config/one-plugin/panels.yaml' },
    }));

  it('reports on a panel by its name', () =>
    follow(blocksOf('config/panels.md', 'In reports'), { folder: installed.folder }));
});
