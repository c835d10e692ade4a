import { blocksOf, follow } from '../support/guide.js';
import { type Installed, install } from '../support/installed.js';

describe('guides: work with matches', function () {
  this.timeout(120_000); // builds, packs, and runs a server
  let installed: Installed;
  before(() => {
    installed = install();
  });
  after(() => installed.remove());

  it('finds a submission, and refuses the second of two changes', () =>
    follow(blocksOf('config/triage.md', 'Step by step'), { folder: installed.folder }));
});
