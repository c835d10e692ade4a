/** Finds the store of a contract: what a plugin brings, or the core's own. Loaded only if an adapter asks. */
import type { Contract } from './contract.js';
import { Fault } from './fault.js';
import type { Store, StoreStep } from './table.js';

/** Modules with a store, by the id of its contract. */
export type StoreLoaders = ReadonlyMap<string, () => Promise<unknown>>;

const ownStores: StoreLoaders = new Map<string, () => Promise<unknown>>([
  ['jobs@1', () => import('./jobs/store.js')],
  ['tokens@1', () => import('./auth/store.js')],
  ['sessions@1', () => import('./auth/sessions/store.js')],
  ['audit@1', () => import('./audit/store.js')],
  ['erasures@1', () => import('./erasures/store.js')],
]);

/**
 * For adapters: the store by which a contract is kept above tables; undefined if it has none. Throws an `unprocessable` fault if
 * what was brought is no store of this contract.
 */
export async function storeOf({ id }: Contract, brought: StoreLoaders = new Map()): Promise<Store | undefined> {
  const load = brought.get(id) ?? ownStores.get(id);
  if (load === undefined) return undefined;
  const loaded = await load();
  const candidates = isObject(loaded) ? [loaded, ...Object.values(loaded)] : [];
  const store = candidates.find((value): value is Store => isStore(value) && value.contract.id === id);
  if (store === undefined) throw new Fault('unprocessable', `What is brought for ${id} is no store of it`);
  return store;
}

/** `storeOf` for all of them. Throws an `unprocessable` fault in which the adapter, by its name, says which have no store. */
export async function storesOf(
  contracts: readonly Contract[],
  brought: StoreLoaders | undefined,
  adapter: string,
): Promise<Store[]> {
  const found = await Promise.all(contracts.map((contract) => storeOf(contract, brought)));
  const missing = contracts.filter((_, i) => found[i] === undefined).map(({ id }) => id);
  if (missing.length > 0) throw new Fault('unprocessable', `${adapter} cannot fulfil ${missing.join(', ')}`);
  return found.flatMap((store) => store ?? []);
}

/**
 * For adapters: the steps of a store that follow those that are done, in the order in which they run. A step is done as well if all
 * those are that it was put together of.
 */
export function stepsAfter(
  done: readonly string[],
  { steps }: Pick<Store, 'steps'>,
): [name: string, step: StoreStep][] {
  const isDone = (name: string) => done.includes(name);
  const missing = Object.entries(steps).filter(
    ([name, { replaces = [] }]) => !isDone(name) && (replaces.length === 0 || !replaces.every(isDone)),
  );
  return missing.sort(([one], [other]) => (one < other ? -1 : 1));
}

function isStore(value: unknown): value is Store {
  if (!isObject(value)) return false;
  const { contract, tables, steps, repository } = value as Partial<Record<keyof Store, unknown>>;
  const isNamed = isObject(contract) && typeof (contract as Partial<Contract>).id === 'string';
  return isNamed && Array.isArray(tables) && isObject(steps) && typeof repository === 'function';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
