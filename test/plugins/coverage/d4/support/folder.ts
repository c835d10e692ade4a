import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder for the tests of a block, removed afterwards. */
export function temporaryFolder(): { path: (name: string) => string } {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'trefoil-d4-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  return { path: (name) => join(folder, name) };
}
