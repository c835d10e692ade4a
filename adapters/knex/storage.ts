/** A storage on Knex: what is common to every engine of the family. */
import {
  type Capabilities,
  type Contract,
  completed,
  type Damage,
  type Downgrade,
  Fault,
  type Migration,
  type OpenRequest,
  refuseLacking,
  type Storage,
  type StorageMetric,
  type StorageScope,
} from '../../core/storage.js';
import type { Binding, Database } from './binding.js';
import { loadBindings } from './bindings.js';
import { Activity, RootDatabase } from './database.js';
import type { Driver } from './driver.js';
import { Ledger } from './ledger.js';
import { damageIn } from './rows.js';

/**
 * Opens the storage. Bindings are loaded first, so that the engine is not opened if a contract cannot be fulfilled. Verbs are looked
 * for afterwards: repositories may need the engine when they are made.
 */
export async function openStorage(
  { log, ...kept }: Omit<OpenRequest<unknown>, 'settings'>,
  capabilities: Capabilities,
  connect: () => Promise<Driver>,
): Promise<KnexStorage> {
  const loaded = await loadBindings(kept);
  const driver = await connect();
  const storage = new KnexStorage(driver, loaded, log, capabilities);
  try {
    refuseLacking(kept.contracts, (contract) => storage.repository(contract));
  } catch (error) {
    await storage.close();
    throw error;
  }
  return storage;
}

export class KnexStorage implements Storage {
  readonly capabilities: Capabilities;
  readonly copyTo?: (file: string) => Promise<Readonly<Record<string, number>>>;
  readonly purge?: () => Promise<void>;
  readonly #driver: Driver;
  readonly replaced?: Promise<string>;
  readonly #activity: Activity;
  readonly #root: RootDatabase;
  readonly #bindings: ReadonlyMap<string, Binding>;
  readonly #repositories = new Map<string, unknown>();
  readonly #ledger: Ledger;
  #closing: Promise<void> | undefined;

  constructor(
    driver: Driver,
    bindings: readonly Binding[],
    log: OpenRequest<unknown>['log'],
    capabilities: Capabilities,
  ) {
    this.capabilities = capabilities;
    this.#driver = driver;
    this.#activity = new Activity(driver.lineage);
    if (driver.lineage) this.replaced = driver.lineage.replaced;
    this.#root = new RootDatabase(driver, log, this.#activity);
    this.#bindings = new Map(bindings.map((binding) => [binding.contract.id, binding]));
    this.#ledger = new Ledger(this.#root, driver, bindings);
    if (driver.purge) this.purge = () => this.#root.run(async () => driver.purge?.());
    const { copyTo } = driver;
    if (copyTo) this.copyTo = (file) => this.#root.run(() => copyTo(file));
  }

  repository<Repository>(contract: Contract<Repository>): Repository {
    const known = this.#repositories.get(contract.id) ?? this.#repository(contract, this.#root);
    this.#repositories.set(contract.id, known);
    return known as Repository;
  }

  transaction<Result>(work: (scope: StorageScope) => Promise<Result>): Promise<Result> {
    return this.#root.scoped('write', (database) => work(this.#scope(database)));
  }

  pending(): Promise<Migration[]> {
    return this.#ledger.pending();
  }

  migrate(): Promise<Migration[]> {
    return this.#ledger.migrate();
  }

  downgrade(to: string, options: { trial: boolean }): Promise<Downgrade> {
    return this.#ledger.downgrade(to, options);
  }

  /** Drops the tables of all contracts. For tests and for writing migrations. */
  revert(): Promise<Migration[]> {
    return this.#ledger.revert();
  }

  metrics(): readonly StorageMetric[] {
    return this.#driver.metrics();
  }

  async ping(): Promise<void> {
    await this.#activity.during(async () => {
      try {
        await this.#driver.ping();
      } catch (error) {
        throw this.#driver.engine.translate(error);
      }
    });
  }

  async parts(): Promise<ReadonlyMap<string, boolean>> {
    return this.#root.run(async () => (await this.#driver.parts?.()) ?? new Map());
  }

  tryWrite(): Promise<void> {
    return this.#ledger.tryWrite();
  }

  async damaged(): Promise<Damage[]> {
    const found: Damage[] = [];
    for (const { contract, rows = [] } of this.#bindings.values()) {
      for (const one of rows) found.push(...(await damageIn(this.#root, contract.id, one)));
    }
    return found;
  }

  rowCounts(): Promise<Record<string, number>> {
    return this.#root.run(async ({ read }) => {
      const counts: Record<string, number> = {};
      for (const table of (await this.#driver.tables(read)).keys()) {
        const [row] = await read(table).count<{ count: unknown }[]>({ count: '*' });
        counts[table] = Number(row?.count);
      }
      return counts;
    });
  }

  unclaimed(): Promise<string[]> {
    return this.#ledger.unclaimed();
  }

  verify(): Promise<string[]> {
    return this.#root.run(({ read }) => this.#driver.verify(read));
  }

  close(): Promise<void> {
    this.#closing ??= this.#activity.end().then(() => this.#driver.close());
    return this.#closing;
  }

  #scope(database: Database): StorageScope {
    return { repository: (contract) => this.#repository(contract, database) };
  }

  #repository<Repository>(contract: Contract<Repository>, database: Database): Repository {
    return completed(contract, this.#binding(contract).repository(database));
  }

  #binding<Repository>(contract: Contract<Repository>): Binding<Repository> {
    const binding = this.#bindings.get(contract.id);
    if (!binding) throw new Fault('internal', `The contract ${contract.id} was not named when the storage was opened`);
    return binding as Binding<Repository>;
  }
}
