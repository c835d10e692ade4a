/**
 * A storage adapter for Trefoil on LevelDB, an ordered key-value store in one folder:
 *
 *     storage: { adapter: '@lab/trefoil-level', folder: data/level }
 *
 * storage.js has the transactions, view.js their reads and writes, rows.js the rows of the tables above which stores run.
 */
import { resolve } from 'node:path';
import { defineAdapter, refuseLacking, storesOf } from 'trefoil/storage';
import { z } from 'zod';
import { openStorage } from './storage.js';

/** Only one process can open LevelDB, and an import is gathered in memory before it is written. */
const capabilities = { durable: true };

/** Of contracts that should not be kept in tables, none today; loaded only if the contract is requested. */
const bindings = new Map([]);

export default defineAdapter({
  name: 'level',
  family: 'level',
  capabilities,
  settings: z.strictObject({ folder: z.string().min(1) }),
  migratesItself: true,
  environment: { variables: { TREFOIL_LEVEL_FOLDER: 'folder' } },
  describe: ({ folder }) => `LevelDB folder ${folder}`,
  async open({ settings, contracts, bindings: brought, stores: known, log }) {
    const loaded = new Map();
    for (const { id } of contracts) {
      // A binding that a plugin provides for this family takes precedence.
      const module = await (brought.get(id) ?? bindings.get(id))?.();
      if (module) loaded.set(id, module.default ?? module);
    }
    const above = contracts.filter(({ id }) => !loaded.has(id));
    const stores = await storesOf(above, known, 'LevelDB');
    const storage = await openStorage(resolve(settings.folder), { capabilities, bindings: loaded, stores, log });
    try {
      refuseLacking(contracts, (contract) => storage.repository(contract));
    } catch (error) {
      await storage.close();
      throw error;
    }
    return storage;
  },
});
