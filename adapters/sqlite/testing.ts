/** Storage for a test: a file in a folder of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MakeHome } from '../../core/storage.js';

export const home: MakeHome = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trefoil-sqlite-'));
  return {
    settings: { file: join(folder, 'trefoil.sqlite') },
    discard: () => rm(folder, { recursive: true, force: true }),
  };
};
