/**
 * The `memory` adapter: storage without a database, lost when the process ends. It is the worked example for authors of
 * adapters, and passes the conformance kit like any other. An adapter consists of
 *
 * - this file: the adapter's name, capabilities and settings, and how it finds the stores of contracts;
 * - storage.ts: transactions, opening and closing;
 * - tables.ts, transaction.ts: rows, above which `tablesAbove` makes the tables of the stores.
 */
import { z } from 'zod';
import { type Capabilities, defineAdapter, type OpenRequest, refuseLacking, storesOf } from '../../core/storage.js';
import { MemoryStorage } from './storage.js';

/** Neither durable nor shared between processes, and everything is held in memory: no capability is declared. */
const capabilities: Capabilities = {};

const settings = z.strictObject({});

export default defineAdapter({
  name: 'memory',
  family: 'memory',
  capabilities,
  settings,
  migratesItself: true,
  describe: () => 'memory of this process; nothing is kept',
  open: (request: OpenRequest<z.infer<typeof settings>>) => openMemory(request),
});

type OpenedContracts = Pick<OpenRequest<unknown>, 'contracts' | 'stores'>;

/**
 * With a seed, its tables give no more than they promise (`tables.ts`): for tests. Throws an `unprocessable` fault that names all
 * contracts without a store.
 */
export async function openMemory({ contracts, stores: known }: OpenedContracts, seed?: number): Promise<MemoryStorage> {
  const stores = await storesOf(contracts, known, 'The memory adapter');
  const storage = new MemoryStorage(capabilities, stores, seed);
  refuseLacking(contracts, (contract) => storage.repository(contract));
  return storage;
}
