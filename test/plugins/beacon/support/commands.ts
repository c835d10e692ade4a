/** `beacon …` on an SQLite database in the folder in which it runs. */
import { join } from 'node:path';
import { beaconBin } from '../../../support/trefoil.js';
import { typedCommands } from '../../../support/typed.js';

export const typedBeacon = (folder: () => string) =>
  typedCommands(() => ({
    cwd: folder(),
    script: beaconBin,
    env: { TREFOIL_SQLITE_FILE: join(folder(), 'beacon.sqlite') },
  }));
