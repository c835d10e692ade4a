/** A new, empty home on an engine for each test of a suite. */
import type { Contract, Storage } from '../../../../core/storage.js';
import type { Home, OpenOptions, StorageEngine } from '../../../support/storages.js';

export interface TestHome {
  /** The home of the running test. */
  home(): Home;
  /** Opens the home once more, without migrating. The storage is closed, and the home removed, after the test. */
  open(contracts: readonly Contract[], options?: OpenOptions): Promise<Storage>;
}

export function useHome(engine: StorageEngine): TestHome {
  let home: Home;
  const storages: Storage[] = [];

  beforeEach(async () => {
    home = await engine.home();
  });

  afterEach(async () => {
    for (const storage of storages.splice(0)) await storage.close();
    await home.discard();
  });

  return {
    home: () => home,
    async open(contracts, options) {
      const storage = await home.open(contracts, options);
      storages.push(storage);
      return storage;
    },
  };
}
