/**
 * A storage adapter for Trefoil on LevelDB, an ordered key-value store in one folder:
 *
 *     storage: { adapter: '@lab/trefoil-level', folder: data/level }
 *
 * storage.js has the transactions, view.js their reads and writes, tables.js the tables above which the stores of contracts run.
 */
import { resolve } from 'node:path';
import { defineAdapter, Fault, refuseLacking, storeOf } from 'trefoil/storage';
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
    const [loaded, stores, missing] = [new Map(), [], []];
    for (const contract of contracts) {
      const { id } = contract;
      // A binding that a plugin provides for this family takes precedence.
      const load = brought.get(id) ?? bindings.get(id);
      const module = await load?.();
      const repository = module?.default ?? module;
      const store = load === undefined ? await storeOf(contract, known) : undefined;
      if (typeof repository === 'function') loaded.set(id, repository);
      else if (store !== undefined) stores.push(store);
      else missing.push(id);
    }
    if (missing.length > 0) throw new Fault('unprocessable', `LevelDB cannot fulfil ${missing.join(', ')}`);
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
