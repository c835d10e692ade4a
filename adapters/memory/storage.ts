/** A storage in memory: repositories above tables, and nothing else. */
import {
  type Capabilities,
  type Contract,
  completed,
  Fault,
  type Storage,
  type StorageScope,
  type Store,
  type Tables,
  tablesAbove,
} from '../../core/storage.js';
import { begin, keeperOfTable, within } from './tables.js';
import { TableData } from './transaction.js';

export class MemoryStorage implements Storage {
  readonly capabilities: Capabilities;
  readonly #stores: ReadonlyMap<string, Store>;
  readonly #data: TableData;
  readonly #tables: Tables;
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;

  /** With a seed, tables are strict (`tables.ts`): for tests. */
  constructor(capabilities: Capabilities, stores: readonly Store[], seed?: number) {
    this.capabilities = capabilities;
    this.#stores = new Map(stores.map((store) => [store.contract.id, store]));
    this.#data = new TableData(seed);
    for (const table of stores.flatMap(({ tables }) => tables)) begin(this.#data, table);
    this.#tables = tablesAbove(keeperOfTable(this.#data, () => this.#assertOpen()));
  }

  repository<Repository>(contract: Contract<Repository>): Repository {
    return this.#repositoryOn(this.#tables, contract);
  }

  /** Closing waits for it. */
  async transaction<Result>(work: (scope: StorageScope) => Promise<Result>): Promise<Result> {
    this.#assertOpen();
    const running = within(
      this.#data,
      () => {},
      (inside) => {
        const tables = tablesAbove(inside);
        return work({ repository: (contract) => this.#repositoryOn(tables, contract) });
      },
    );
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
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

  /** Of the tables that have any row. */
  async rowCounts(): Promise<Readonly<Record<string, number>>> {
    const counts = [...this.#data.committed].map(([table, rows]) => [table, rows.size] as const);
    return Object.fromEntries(counts.filter(([, rows]) => rows > 0));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#running);
  }

  #repositoryOn<Repository>(tables: Tables, contract: Contract<Repository>): Repository {
    const store = this.#stores.get(contract.id);
    if (!store) throw new Fault('internal', `The contract ${contract.id} was not named when the storage was opened`);
    return completed(contract, store.repository(tables));
  }

  #assertOpen(): void {
    if (this.#closed) throw new Fault('unavailable', 'The storage is closed');
  }
}
