/**
 * Finds the binding that fulfils a contract on SQL: the plugin's own, or the family's, or what the contract's store needs,
 * whose steps lay the declared tables and whose repository runs above them.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import {
  type Column,
  type ColumnKind,
  type Contract,
  Fault,
  keptRow,
  keptValue,
  type OpenRequest,
  type Store,
  type StoreStep,
  storeOf,
  type TableDeclaration,
} from '../../core/storage.js';
import type { Binding, Database, Engine, SchemaStep, StoredRows } from './binding.js';
import { boundOf, columnName, sqlRowOf, storedTable } from './stored-table.js';
import { tablesOn } from './tables.js';

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
            made.notNullable().defaultTo(boundOf(engine.values, column.kind, kept) as Knex.Value);
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
