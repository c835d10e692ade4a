/** Declared tables in SQL: one text for each shape of a statement, so that its prepared form is kept. */
import type { Knex } from 'knex';
import {
  type Change,
  type Changes,
  changesOf,
  Fault,
  grouped,
  type Kept,
  type KeptRow,
  keptCursor,
  keptRow,
  keptRows,
  type Page,
  type PageQuery,
  type Query,
  type Reading,
  rowOfKept,
  rowsOfPages,
  type Table,
  type TableDeclaration,
  type Tables,
  type Tests,
  testsOf,
  totalOrder,
  type Where,
} from '../../core/storage.js';
import type { Database, Scalar } from './binding.js';
import {
  boundOfValue,
  columnName,
  conditionOfTests,
  insertionOfRows,
  orderBy,
  readRows,
  type SqlCondition,
  type SqlRow,
  type StoredTable,
  sqlRowOf,
  storedTable,
  withKey,
} from './rows.js';

/** Rows of an INSERT, and how many bytes they have from which on no more are added to them. */
const insertedAtOnce = 100;
const bytesAtOnce = 2 ** 21;
type Abortable = Pick<Reading, 'signal'>;

export function tablesOn(database: Database, isPart = false): Tables {
  const transaction = <Result>(work: (tables: Tables) => Promise<Result>) =>
    database.transaction((inside) => work(tablesOn(inside, true)));
  return {
    table: (declaration) => new KnexTable(database, storedTable(declaration), isPart),
    snapshot: (work, options) => snapshotOn(database)((_, moment) => work(moment), options),
    transaction,
    later: isPart ? transaction : grouped(transaction),
  };
}

/** For a store that reads by statements of its own: a snapshot of the database, with its tables. */
export function snapshotOn(database: Database) {
  return <Result>(
    work: (moment: Database, tables: Tables) => Promise<Result>,
    { signal }: Abortable = {},
  ): Promise<Result> => database.until(signal).snapshot((moment) => work(moment, tablesOn(moment, true)));
}

/** Rows that may be large, as one statement each adds them. */
function* portionsOf(rows: readonly KeptRow[]): Iterable<readonly KeptRow[]> {
  for (let from = 0, to = from; from < rows.length; from = to) {
    for (let bytes = 0; to < rows.length && to < from + insertedAtOnce && bytes < bytesAtOnce; to++) {
      for (const value of Object.values(rows[to] as KeptRow)) if (value instanceof Uint8Array) bytes += value.length;
    }
    yield rows.slice(from, to);
  }
}

class KnexTable<Row extends object, New extends object> implements Table<Row, New> {
  readonly #database: Database;
  readonly #stored: StoredTable;
  readonly #declaration: TableDeclaration;
  readonly #isPart: boolean;

  constructor(database: Database, stored: StoredTable, isPart: boolean) {
    this.#database = database;
    this.#stored = stored;
    this.#declaration = stored.declaration;
    this.#isPart = isPart;
  }

  async add(row: New, { signal }: Abortable = {}): Promise<Row | undefined> {
    const kept = keptRow(this.#declaration, row);
    const [added] = await this.#inserted([kept], this.#declaration.key.map(columnName), signal);
    const { values } = this.#database.engine;
    return added && rowOfKept<Row>(this.#declaration, { ...kept, ...this.#stored.keyOf(values, added) });
  }

  async addMany(rows: readonly New[], { signal }: Abortable = {}): Promise<Row[]> {
    const kept = keptRows(this.#declaration, rows);
    const added: Row[] = [];
    for (let from = 0; from < kept.length; from += insertedAtOnce) {
      const rows = await this.#inserted(kept.slice(from, from + insertedAtOnce), this.#columns(), signal);
      added.push(...this.#readAll(rows));
    }
    return added;
  }

  async append(rows: readonly New[], { signal }: Abortable = {}): Promise<void> {
    const kept = keptRows(this.#declaration, rows);
    const names = Object.keys(this.#declaration.columns).filter((name) => kept.some((row) => row[name] !== undefined));
    const isPlain = names.every((name) => this.#declaration.columns[name]?.kind !== 'bytes');
    const scalars = () => kept.map((row) => names.map((name) => this.#bound(name, row[name]) as Scalar));
    signal?.throwIfAborted();
    if (kept.length === 0) return;
    if (kept.length <= insertedAtOnce) {
      const { engine } = this.#database;
      const insertion = insertionOfRows(engine, this.#declaration, names);
      if (insertion) return this.#database.later(insertion, [engine.values.json(scalars()) as string]);
    }
    return this.#database.transaction(async ({ write, engine }) => {
      signal?.throwIfAborted();
      if (isPlain) return engine.append(write, this.#name, names.map(columnName), scalars());
      const none = Object.fromEntries(names.map((name) => [columnName(name), null]));
      for (const rows of portionsOf(kept)) {
        await write(this.#name).insert(rows.map((row) => ({ ...none, ...this.#sqlRow(row) })));
      }
    });
  }

  async put(row: New, columns?: readonly (keyof Row & string)[], { signal }: Abortable = {}): Promise<Row> {
    const kept = keptRow(this.#declaration, row);
    const { key, columns: declared } = this.#declaration;
    if (key.some((each) => kept[each] === undefined))
      throw new Fault('internal', `${this.#name} gives its keys itself`);
    const all = Object.keys(declared).filter((name) => !key.includes(name));
    const changed = columns ?? all;
    const merged = (changed.length === 0 ? key : changed).map(columnName);
    // A row that is only held: a column that gets its own value, unlike those of the key, writes nothing in SQLite.
    const [own] = changed.length === 0 ? all.map(columnName) : [];
    signal?.throwIfAborted();
    const [now] = await this.#database.run(({ write }) =>
      write(this.#name)
        .insert({ ...Object.fromEntries(all.map((name) => [columnName(name), null])), ...this.#sqlRow(kept) })
        .onConflict(key.map(columnName))
        .merge(own === undefined ? merged : { [own]: write.ref(`${this.#name}.${own}`) })
        .returning<SqlRow[]>(this.#stored.rows.columns as string[]),
    );
    // Of a row that is damaged beside these columns, what it was given.
    return this.#read(now as SqlRow) ?? rowOfKept<Row>(this.#declaration, kept);
  }

  async find(query: Query<Row> = {}): Promise<Row[]> {
    const rows = await this.#select(query, query.order && totalOrder(this.#declaration, query.order));
    return this.#readAll(rows, query.without);
  }

  async one(where: Where<Row>, options: Omit<Query<Row>, 'where' | 'limit'> = {}): Promise<Row | undefined> {
    // What identifies a row needs no limit; of other rows, damaged ones must not hide those behind them.
    if (this.#isPinned(testsOf(this.#declaration, where))) return (await this.find({ ...options, where }))[0];
    for await (const row of this.each({ ...options, where })) return row;
    return undefined;
  }

  async page(query: PageQuery<Row>): Promise<Page<Row>> {
    const order = totalOrder(this.#declaration, query.order);
    const after = query.after && keptCursor(this.#declaration, order, query.after);
    const rows = await this.#select(query, order, after);
    const found = this.#readAll(rows, query.without);
    let next: object | undefined;
    // Of a damaged row the place may be damaged too; the page then ends at the row before.
    for (let i = rows.length; i > 0 && next === undefined && rows.length === query.limit; i--) {
      next = this.#stored.cursorOf(this.#database.engine.values, rows[i - 1] as SqlRow, order);
    }
    return { rows: found, damaged: rows.length - found.length, next: next as Page<Row>['next'] };
  }

  each(query: Omit<Query<Row>, 'limit'> = {}): AsyncIterable<Row> {
    return rowsOfPages((page) => this.page(page), query);
  }

  async count(where?: Where<Row>, options: Reading = {}): Promise<number> {
    const tests = testsOf(this.#declaration, where);
    options.signal?.throwIfAborted();
    if (tests.length === 0) return 0;
    const [condition, bindings] = this.#condition(tests);
    const sql = `select count(*) as rows_found from ${this.#name}${condition && ` where ${condition}`}`;
    const [row] = await this.#query<{ rows_found: unknown }>(sql, bindings, options);
    return this.#database.engine.values.parseBig(row?.rows_found);
  }

  async lock(where: Where<Row>, { without, signal }: Pick<Query<Row>, 'without' | 'signal'> = {}): Promise<Row[]> {
    if (!this.#isPart) throw new Fault('internal', 'Rows are held in transactions only');
    signal?.throwIfAborted();
    const tests = testsOf(this.#declaration, where);
    if (tests.length === 0) return [];
    const rows = await this.#database.run(({ write, engine }) =>
      engine.forUpdate(this.#matching(write, tests).select(this.#columns(without))),
    );
    return this.#readAll(rows as SqlRow[], without);
  }

  async take(
    query: Pick<Query<Row>, 'where' | 'order' | 'descending' | 'signal'>,
    change: (row: Row) => Changes<Row>,
  ): Promise<Row | undefined> {
    const order = totalOrder(this.#declaration, query.order);
    const damaged: KeptRow[] = [];
    for (;;) {
      // Most callers find nothing, and then no transaction is begun.
      const [candidate] = await this.#select({ ...query, limit: 1, latest: true }, order, undefined, damaged);
      if (candidate === undefined) return undefined;
      // If all that are left are held, waiting for the first shows what became of it. Not in the same transaction: rows that
      // others had just changed were locked in passing, and two callers might wait for each other's.
      for (const isFree of [true, false]) {
        const taken = await this.#database.transaction(async (inside) => {
          const first = this.#matching(
            inside.write,
            testsOf(this.#declaration, query.where),
            order,
            query.descending,
            damaged,
          )
            .select(this.#columns())
            .limit(1);
          const [row] = (await (isFree ? inside.engine.skipLocked(first) : inside.engine.forUpdate(first))) as SqlRow[];
          if (row === undefined) return undefined;
          const read = this.#read(row);
          const key = this.#stored.keyOf(inside.engine.values, row);
          if (read === undefined) {
            damaged.push(key);
            return undefined;
          }
          const [changed] = (await this.#changing(
            inside.write,
            withKey(this.#database.engine, this.#declaration, key),
            changesOf(this.#declaration, change(read)),
          ).returning(this.#columns())) as SqlRow[];
          return this.#read(changed as SqlRow);
        });
        query.signal?.throwIfAborted();
        if (taken !== undefined) return taken;
      }
    }
  }

  async change(where: Where<Row>, changes: Changes<Row>, { signal }: Abortable = {}): Promise<number> {
    const tests = testsOf(this.#declaration, where);
    const checked = changesOf(this.#declaration, changes);
    signal?.throwIfAborted();
    if (tests.length === 0) return 0;
    return this.#database.run(async ({ write }) => {
      signal?.throwIfAborted();
      return (await this.#changing(write, this.#held(write, tests), checked)) as unknown as number;
    });
  }

  async remove(where: Where<Row>, { signal }: Abortable = {}): Promise<number> {
    const tests = testsOf(this.#declaration, where);
    signal?.throwIfAborted();
    if (tests.length === 0) return 0;
    return this.#database.run(async ({ write }) => {
      signal?.throwIfAborted();
      const [condition, bindings] = this.#held(write, tests);
      return write(this.#name)
        .whereRaw(condition, bindings as Scalar[])
        .delete();
    });
  }

  get #name(): string {
    return this.#declaration.name;
  }

  #read(row: SqlRow): Row | undefined {
    return this.#readAll([row])[0];
  }

  #readAll(rows: readonly SqlRow[], without: readonly string[] = []): Row[] {
    return readRows(this.#database, this.#stored.rowsWithout(without), rows) as Row[];
  }

  #bound(name: string, value: Kept | undefined): Scalar | Buffer {
    return boundOfValue(this.#database.engine.values, this.#declaration.columns[name]?.kind, value);
  }

  #sqlRow(row: KeptRow): Record<string, Scalar | Buffer> {
    return sqlRowOf(this.#database.engine.values, this.#declaration, row);
  }

  #columns(without: readonly string[] = []): string[] {
    return [...this.#stored.rowsWithout(without).columns];
  }

  /** Adds those rows that are free, and returns these columns of them. */
  #inserted(rows: readonly KeptRow[], columns: string[], signal: AbortSignal | undefined): Promise<SqlRow[]> {
    return this.#database.run(async ({ write }) => {
      signal?.throwIfAborted();
      const sqlRows = rows.map((row) => this.#sqlRow(row));
      return write(this.#name).insert(sqlRows).onConflict().ignore().returning<SqlRow[]>(columns);
    });
  }

  #query<Found>(sql: string, bindings: readonly Scalar[], { signal, latest }: Reading): Promise<Found[]> {
    const database = this.#database.until(signal);
    return latest ? database.queryLatest<Found>(sql, bindings) : database.query<Found>(sql, bindings);
  }

  async #select(
    query: Query<Row>,
    order: readonly string[] | undefined,
    after?: KeptRow,
    except: readonly KeptRow[] = [],
  ): Promise<SqlRow[]> {
    const { where, descending, limit, without = [], signal } = query;
    const tests = testsOf(this.#declaration, where);
    signal?.throwIfAborted();
    if (tests.length === 0) return [];
    const [condition, bindings] = this.#condition(tests, except);
    const conditions = condition === '' ? [] : [condition];
    const bound = [...bindings];
    if (after !== undefined) {
      const columns = Object.keys(after);
      const [names, places] = [columns.map(columnName).join(', '), columns.map(() => '?').join(', ')];
      conditions.push(`(${names}) ${descending ? '<' : '>'} (${places})`);
      bound.push(...columns.map((name) => this.#bound(name, after[name]) as Scalar));
    }
    let sql = this.#stored.rowsWithout(without).selection;
    if (conditions.length > 0) sql += ` where ${conditions.join(' and ')}`;
    if (order !== undefined) sql += ` order by ${orderBy(order, descending)}`;
    if (limit !== undefined) {
      sql += ' limit ?';
      bound.push(limit);
    }
    return this.#query<SqlRow>(sql, bound, query);
  }

  #condition(tests: Tests, except: readonly KeptRow[] = []): SqlCondition {
    return conditionOfTests(this.#database.engine, this.#declaration, tests, except);
  }

  /** Whether at most one row can fulfil the conditions. */
  #isPinned(tests: Tests): boolean {
    const { key, unique = [] } = this.#declaration;
    const [only, ...others] = tests;
    if (only === undefined || others.length > 0) return false;
    const isEqual = (each: string) => only.some(({ is, column }) => is === '=' && column === each);
    return key.every(isEqual) || unique.some((set) => set.every(isEqual));
  }

  #matching(
    on: Knex,
    tests: Tests,
    order: readonly string[] = this.#declaration.key,
    descending?: boolean,
    except?: readonly KeptRow[],
  ): Knex.QueryBuilder {
    const [condition, bindings] = this.#condition(tests, except);
    return on(this.#name)
      .whereRaw(condition, bindings as Scalar[])
      .orderByRaw(orderBy(order, descending));
  }

  /** The condition of rows that are first held in the order of their keys; one row, or the only writer, needs no order. */
  #held(on: Knex, tests: Tests): SqlCondition {
    const { engine } = this.#database;
    if (!engine.locksRows || this.#isPinned(tests)) return this.#condition(tests);
    const key = this.#declaration.key.map(columnName);
    const held = engine.forUpdate(this.#matching(on, tests).select(key)).toSQL();
    // A row that was changed meanwhile may no longer match.
    const [condition, bindings] = this.#condition(tests);
    const among = `(${key.join(', ')}) in (${held.sql})`;
    return [condition === '' ? among : `${among} and ${condition}`, [...(held.bindings as Scalar[]), ...bindings]];
  }

  #changing(on: Knex, [condition, bindings]: SqlCondition, changes: readonly Change[]): Knex.QueryBuilder {
    const set: Record<string, unknown> = {};
    for (const { column, is, value } of changes) {
      const name = columnName(column);
      set[name] = is === 'plus' ? on.raw('?? + ?', [name, Number(value)]) : this.#bound(column, value);
    }
    return on(this.#name)
      .whereRaw(condition, bindings as Scalar[])
      .update(set);
  }
}
