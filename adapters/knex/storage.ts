/**
 * A storage on Knex: what is common to every engine of the family, and the binding that fulfils each contract: the plugin's
 * own, the family's, or that of the contract's store, whose declared tables it lays.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import {
  type Capabilities,
  type Column,
  type ColumnKind,
  type Contract,
  completed,
  type Damage,
  type Downgrade,
  Fault,
  keptRow,
  keptValue,
  type Migration,
  type OpenRequest,
  refuseLacking,
  type Storage,
  type StorageMetric,
  type StorageScope,
  type Store,
  type StoreStep,
  storeOf,
  type TableDeclaration,
} from '../../core/storage.js';
import type { Binding, Database, Engine, SchemaStep, StoredRows } from './binding.js';
import { Activity, RootDatabase } from './database.js';
import type { Driver } from './driver.js';
import { Ledger } from './ledger.js';
import { boundOfValue, columnName, damageIn, sqlRowOf, storedTable } from './rows.js';
import { tablesOn } from './tables.js';

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

// Finds the binding that fulfils a contract on SQL: the plugin's own, or the family's, or what the contract's store needs,
// whose steps lay the declared tables and whose repository runs above them.

type Loader = () => Promise<unknown>;

/**
 * The bindings of all contracts, in their order: the plugin's own, or `adapters/knex/<contract>/binding.ts`, or what its store
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

// A contract's store as a binding: its steps lay the declared tables, and its repository runs above them.

/**
 * The binding of a store. `faster` has statements of its own for some verbs; they mean what the store's do, and their `database` is
 * that of the repository.
 */
export function bindingOf<Repository>(
  store: Store<Repository>,
  faster?: (database: Database) => Partial<Repository>,
): Binding<Repository> {
  const steps = Object.entries(store.steps).map(([name, step]) => [name, schemaStep(step, schemaAt(store, name))]);
  return {
    contract: store.contract,
    migrations: Object.fromEntries(steps),
    // Operators find a row by one column.
    rows: store.tables.filter(({ key }) => key.length === 1).map((table) => storedTable(table).searched as StoredRows),
    repository: (database) =>
      Object.assign(Object(store.repository(tablesOn(database))), faster?.(database)) as Repository,
  };
}

/** What a table has once a step has run. */
interface SchemaAt {
  /** Whether no later step adds the column. */
  isThere(table: TableDeclaration, column: string): boolean;
  /** Whether the step, or an earlier one, does not add the column to a table that has it from the start. */
  isFirst(table: TableDeclaration, column: string): boolean;
  /** Whether a table lays the index of this set itself. */
  isOwn(set: readonly string[]): boolean;
}

function schemaAt({ steps }: Store, step: string): SchemaAt {
  const added = Object.entries(steps).flatMap(([name, { adds = [] }]) => adds.map((each) => ({ name, ...each })));
  const laid = Object.values(steps).flatMap(({ sql }) => sql?.lays ?? []);
  const isAdded = (table: TableDeclaration, column: string, after: (name: string) => boolean) =>
    added.some((each) => after(each.name) && each.table === table && column in each.columns);
  return {
    isThere: (table, column) => !isAdded(table, column, (name) => name > step),
    isFirst: (table, column) => !isAdded(table, column, (name) => name >= step),
    isOwn: (set) => !laid.some((each) => `${each}` === `${set}`),
  };
}

function schemaStep({ replaces, tables = [], adds = [], sql, up, down }: StoreStep, at: SchemaAt): SchemaStep {
  return {
    ...(replaces && { replaces }),
    async up(schema, engine, database) {
      for (const table of tables) {
        const { name, first } = table;
        await schema.schema.createTable(name, (builder) => lay(builder, table, engine, at));
        if (first) await schema(name).insert(sqlRowOf(engine.values, table, keptRow(table, first)));
      }
      for (const { table, columns } of adds) {
        await schema.schema.alterTable(table.name, (builder) => {
          for (const [name, value] of Object.entries(columns)) {
            const column = table.columns[name] as Column;
            const made = layColumn(builder, name, column, engine);
            if (value === undefined) continue;
            const kept = keptValue(column, value, `${table.name}.${name}`);
            made.notNullable().defaultTo(boundOfValue(engine.values, column.kind, kept) as Knex.Value);
          }
          layIndexes(builder, setsWith(table, columns, at));
        });
      }
      for (const statement of sql?.up ?? []) await schema.raw(statement);
      await up?.(tablesOn(database, true));
    },
    async down(schema, _, database) {
      await down?.(tablesOn(database, true));
      for (const statement of sql?.down ?? []) await schema.raw(statement);
      for (const { table, columns } of [...adds].reverse()) {
        const { unique, indexes } = setsWith(table, columns, at);
        await schema.schema.alterTable(table.name, (builder) => {
          for (const set of unique) builder.dropUnique(set.map(columnName));
          for (const set of indexes) builder.dropIndex(set.map(columnName));
        });
        // As it stands: the schema builder would copy SQLite's table.
        for (const name of Object.keys(columns).reverse()) {
          await schema.raw(`alter table ${table.name} drop column ${columnName(name)}`);
        }
      }
      for (const { name } of [...tables].reverse()) await schema.schema.dropTable(name);
    },
  };
}

type StoreSets = Required<Pick<TableDeclaration, 'unique' | 'indexes'>>;

/** The sets that have one of the columns, and none that is not there. */
function setsWith(table: TableDeclaration, columns: object, at: SchemaAt): StoreSets {
  const { unique, indexes } = setsOf(table, at.isThere, at);
  const has = (set: readonly string[]) => set.some((name) => name in columns);
  return { unique: unique.filter(has), indexes: indexes.filter(has) };
}

function setsOf(table: TableDeclaration, isThere: SchemaAt['isThere'], { isOwn }: SchemaAt): StoreSets {
  const { unique = [], indexes = [] } = table;
  const isWhole = (set: readonly string[]) => isOwn(set) && set.every((name) => isThere(table, name));
  return { unique: unique.filter(isWhole), indexes: indexes.filter(isWhole) };
}

function layIndexes(builder: Knex.TableBuilder, { unique, indexes }: StoreSets): void {
  for (const set of unique) builder.unique(set.map(columnName));
  for (const set of indexes) builder.index(set.map(columnName));
}

function layColumn(builder: Knex.CreateTableBuilder, name: string, { kind }: Column, { columns }: Engine) {
  const make: Record<ColumnKind, (name: string) => Knex.ColumnBuilder> = {
    text: (name) => columns.text(builder, name),
    integer: (name) => columns.big(builder, name),
    small: (name) => builder.integer(name),
    short: (name) => builder.specificType(name, 'smallint'),
    generated: (name) => builder.increments(name),
    double: (name) => builder.double(name),
    boolean: (name) => builder.boolean(name),
    time: (name) => columns.time(builder, name),
    bytes: (name) => builder.binary(name),
    json: (name) => columns.json(builder, name),
  };
  return make[kind](columnName(name));
}

function lay(builder: Knex.CreateTableBuilder, table: TableDeclaration, engine: Engine, at: SchemaAt): void {
  const { key } = table;
  for (const [name, column] of Object.entries(table.columns)) {
    if (!at.isFirst(table, name)) continue;
    const made = layColumn(builder, name, column, engine);
    const isKey = key.length === 1 && key[0] === name;
    if (isKey && column.kind !== 'generated') made.primary();
    else if (!column.optional && column.kind !== 'generated') made.notNullable();
  }
  if (key.length > 1) builder.primary(key.map(columnName));
  layIndexes(builder, setsOf(table, at.isFirst, at));
}
