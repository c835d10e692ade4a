import { blocksOf, follow } from '../support/guide.js';
import { type Installed, install } from '../support/installed.js';

describe('guides: kept reports', function () {
  this.timeout(120_000); // builds, packs, and runs a server
  let installed: Installed;
  before(() => {
    installed = install();
  });
  after(() => installed.remove());

  it('keeps a report, opens it again, and finds it by gene', () =>
    follow(blocksOf('config/kept-reports.md', 'Step by step'), { folder: installed.folder }));
});
