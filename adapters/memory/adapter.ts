/**
 * The `memory` adapter: storage without a database, lost when the process ends. It is the worked example for authors of
 * adapters, and passes the conformance kit like any other. An adapter consists of
 *
 * - this file: the adapter's name, capabilities and settings, and how it finds bindings;
 * - storage.ts: transactions, opening and closing;
 * - tables.ts: declared tables, above which a contract's *store* runs.
 *
 * A contract that should not be kept so would have a file of its own (`<contract name>.ts`): its *binding*.
 */
import { z } from 'zod';
import {
  type Capabilities,
  defineAdapter,
  Fault,
  type OpenRequest,
  refuseLacking,
  type Store,
  storeOf,
} from '../../core/storage.js';
import type { Binding } from './binding.js';
import { MemoryStorage } from './storage.js';

/** Neither durable nor shared between processes, and everything is held in memory: no capability is declared. */
const capabilities: Capabilities = {};

/** Our own bindings, by contract, which would be loaded if their contract is requested. All have stores, which are fast enough. */
const bindings: ReadonlyMap<string, () => Promise<unknown>> = new Map<string, () => Promise<unknown>>([]);

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

type Kept = Pick<OpenRequest<unknown>, 'contracts' | 'bindings' | 'stores'>;

/** With a seed, its tables give no more than they promise (`tables.ts`): for tests. */
export async function openMemory(kept: Kept, seed?: number): Promise<MemoryStorage> {
  const storage = new MemoryStorage(capabilities, await load(kept), seed);
  refuseLacking(kept.contracts, (contract) => storage.repository(contract));
  return storage;
}

/**
 * What keeps the contracts: a binding that a plugin brought, one of ours, or its store above our tables. All contracts without any
 * are named in one fault.
 */
async function load({
  contracts,
  bindings: brought,
  stores: known,
}: Kept): Promise<{ bindings: Binding[]; stores: Store[] }> {
  const [loaded, stores, missing]: [Binding[], Store[], string[]] = [[], [], []];
  for (const contract of contracts) {
    const { id } = contract;
    const binding = bindingIn(await (brought.get(id) ?? bindings.get(id))?.());
    const store = binding === undefined && !brought.has(id) ? await storeOf(contract, known) : undefined;
    if (binding?.contract.id === id) loaded.push(binding);
    else if (store !== undefined) stores.push(store);
    else missing.push(id);
  }
  if (missing.length > 0) throw new Fault('unprocessable', `The memory adapter cannot fulfil ${missing.join(', ')}`);
  return { bindings: loaded, stores };
}

/** A module's default export, or the binding itself. */
function bindingIn(loaded: unknown): Binding | undefined {
  if (typeof loaded !== 'object' || loaded === null) return undefined;
  const { default: binding = loaded } = loaded as { default?: unknown };
  return isBinding(binding) ? binding : undefined;
}

function isBinding(value: unknown): value is Binding {
  const binding = value as Partial<Binding> | null | undefined;
  return typeof binding?.contract?.id === 'string' && typeof binding.repository === 'function';
}
