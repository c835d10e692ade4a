import { blocksOf, follow } from '../support/guide.js';
import { type Installed, install } from '../support/installed.js';

const guide = 'config/beacon-network.md';

describe('guides: joining a Beacon network', function () {
  this.timeout(180_000); // builds, packs, and runs commands
  let installed: Installed;
  before(() => {
    installed = install();
  });
  after(() => installed.remove());

  it('serves a beacon that passes the checklist of a validator', () =>
    follow([...blocksOf(guide, 'Step by step'), ...blocksOf(guide, 'The checklist of a validator')], {
      folder: installed.folder,
    }));
});
