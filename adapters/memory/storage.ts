/** A storage in memory: states are replaced, never changed; one writer at a time; readers never wait. */
import {
  type Capabilities,
  type Contract,
  completed,
  Fault,
  type Storage,
  type StorageScope,
  type Store,
  type Tables,
} from '../../core/storage.js';
import type { Binding, Cell } from './binding.js';
import { begin, tablesOf } from './tables.js';
import { TableData, Transaction } from './transaction.js';

/** The state of every contract, by its id. */
type States = Map<string, unknown>;

export class MemoryStorage implements Storage {
  readonly capabilities: Capabilities;
  readonly #bindings: ReadonlyMap<string, Binding>;
  readonly #stores: ReadonlyMap<string, Store>;
  readonly #data: TableData;
  readonly #tables: Tables;
  #states: States;
  /** Settles when the last queued write is over. */
  #lastTurn: Promise<unknown> = Promise.resolve();
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;

  /** With a seed, tables are strict (`tables.ts`): for tests. */
  constructor(
    capabilities: Capabilities,
    { bindings, stores }: { bindings: readonly Binding[]; stores: readonly Store[] },
    seed?: number,
  ) {
    this.capabilities = capabilities;
    this.#stores = new Map(stores.map((store) => [store.contract.id, store]));
    this.#data = new TableData(seed);
    for (const table of stores.flatMap(({ tables }) => tables)) begin(this.#data, table);
    this.#tables = tablesOf(this.#data, 'now', () => this.#assertOpen());
    this.#bindings = new Map(bindings.map((binding) => [binding.contract.id, binding]));
    this.#states = new Map(bindings.map((binding) => [binding.contract.id, binding.empty()]));
  }

  repository<Repository>(contract: Contract<Repository>): Repository {
    const store = this.#stores.get(contract.id);
    if (store !== undefined) return completed(contract, store.repository(this.#tables));
    const binding = this.#binding(contract);
    const kept = binding.repository({
      read: async () => {
        this.#assertOpen();
        return this.#states.get(contract.id);
      },
      write: (change) => this.#alone(async () => writeTo(this.#states, binding, change)),
    });
    return completed(contract, kept);
  }

  /**
   * A transaction works on a map of its own. Since states are replaced and never changed, it begins by copying that small
   * map, commits by putting the copy in place, and rolls back by dropping it. What is kept in tables alone needs no turn.
   */
  transaction<Result>(work: (scope: StorageScope) => Promise<Result>): Promise<Result> {
    const run = async () => {
      const draft: States = new Map(this.#states);
      let over = false;
      const rows = new Transaction(this.#data);
      const tables = tablesOf(this.#data, { transaction: rows }, () => {
        if (over) throw new Fault('internal', 'The transaction is over: its scope may not be used any more');
      });
      const cell = (binding: Binding): Cell<unknown> => {
        const inside = () => {
          if (over) throw new Fault('internal', 'The transaction is over: its scope may not be used any more');
          return draft;
        };
        return {
          read: async () => inside().get(binding.contract.id),
          write: async (change) => writeTo(inside(), binding, change),
        };
      };
      const scope: StorageScope = {
        repository: <Repository>(contract: Contract<Repository>) => {
          const store = this.#stores.get(contract.id);
          if (store !== undefined) return completed(contract, store.repository(tables));
          const binding = this.#binding(contract);
          return completed(contract, binding.repository(cell(binding)));
        },
      };
      try {
        const result = await work(scope);
        this.#states = draft;
        rows.commit();
        return result;
      } finally {
        over = true;
        rows.end();
      }
    };
    return this.#bindings.size > 0 ? this.#alone(run) : this.#counted(run);
  }

  /** There is no schema, so there is nothing to migrate. */
  async pending(): Promise<[]> {
    return [];
  }

  async migrate(): Promise<[]> {
    return [];
  }

  async ping(): Promise<void> {
    this.#assertOpen();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#lastTurn;
    await Promise.allSettled(this.#running);
  }

  #binding<Repository>(contract: Contract<Repository>): Binding<Repository> {
    const binding = this.#bindings.get(contract.id);
    if (!binding) throw new Fault('internal', `The contract ${contract.id} was not named when the storage was opened`);
    return binding as Binding<Repository>;
  }

  /** Runs writes one after another, in the order of the calls. */
  async #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#assertOpen();
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => {});
    return turn;
  }

  /** Runs work beside other work; closing waits for it. */
  async #counted<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#assertOpen();
    const running = work();
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  #assertOpen(): void {
    if (this.#closed) throw new Fault('unavailable', 'The storage is closed');
  }
}

/** Replaces a state by its changed draft; if `change` throws, the state stays. */
function writeTo<State, Result>(states: States, binding: Binding, change: (draft: State) => Result): Result {
  const { id } = binding.contract;
  const draft = binding.copy(states.get(id)) as State;
  const result = change(draft);
  states.set(id, draft);
  return result;
}
