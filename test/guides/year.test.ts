import { blocksOf, follow } from '../support/guide.js';
import { type Installed, install } from '../support/installed.js';

describe("guides: a laboratory's year", function () {
  this.timeout(180_000); // builds, packs, and runs many commands
  let installed: Installed;
  before(() => {
    installed = install();
  });
  after(() => installed.remove());

  it('loads a family, replaces its calls, and erases who withdraws consent', () =>
    follow(blocksOf('plugins/beacon/year.md', "A laboratory's year"), { folder: installed.folder }));
});
