/** Finds the binding that fulfils a contract on SQL. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Contract, Fault, type OpenRequest, storeOf } from '../../core/storage.js';
import type { Binding } from './binding.js';
import { bindingOf } from './store-binding.js';

type Loader = () => Promise<unknown>;

/**
 * The bindings of all contracts, in their order: the plugin's own, or `adapters/knex/<contract name>/binding`, or what its store
 * needs. Throws one `unprocessable` fault that names every contract without a binding.
 */
export async function loadBindings({
  contracts,
  bindings: brought,
  stores,
}: Pick<OpenRequest<unknown>, 'contracts' | 'bindings' | 'stores'>): Promise<Binding[]> {
  const found: Binding[] = [];
  const missing: string[] = [];
  for (const contract of contracts) {
    const { id } = contract;
    const loader = brought.get(id) ?? ownLoader(id);
    const binding = loader && bindingIn(await loader(), id);
    const store = loader === undefined ? await storeOf(contract, stores) : undefined;
    if (binding) found.push(binding);
    else if (store) found.push(bindingOf(store));
    else missing.push(brought.has(id) ? `${id} (the plugin's own binding does not fit)` : id);
  }
  if (missing.length > 0) {
    throw new Fault('unprocessable', `No SQL binding fulfils ${missing.join(', ')}`);
  }
  return found;
}

function ownLoader(id: string): Loader | undefined {
  const [name] = id.split('@', 1);
  if (!name || !/^[a-z][a-z0-9-]*$/.test(name)) return undefined;
  const url = new URL(`./${name}/binding.js`, import.meta.url);
  const path = fileURLToPath(url);
  // TypeScript in a clone, JavaScript in the build; both are imported as `.js`.
  if (!existsSync(path) && !existsSync(path.replace(/\.js$/, '.ts'))) return undefined;
  return () => import(url.href);
}

/** The binding for this contract among a module's exports, or the loaded value itself. */
function bindingIn(loaded: unknown, id: string): Binding | undefined {
  const candidates = isObject(loaded) ? [loaded, ...Object.values(loaded)] : [];
  return candidates.find((value): value is Binding => isBinding(value) && value.contract.id === id);
}

function isBinding(value: unknown): value is Binding {
  if (!isObject(value)) return false;
  const { contract, migrations, repository } = value as Partial<Record<keyof Binding, unknown>>;
  return (
    isObject(contract) &&
    typeof (contract as Partial<Contract>).id === 'string' &&
    isObject(migrations) &&
    typeof repository === 'function'
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
