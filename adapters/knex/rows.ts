/**
 * Rows and values as every engine of the family stores them, those of declared tables with their conditions and orders as SQL.
 * A row that a disk, a failed restore or a manual change damaged is left out and reported to operators; all other rows are
 * returned.
 */
import type { Knex } from 'knex';
import {
  type Column,
  type ColumnKind,
  type Damage,
  damageLog,
  Fault,
  type Kept,
  type KeptRow,
  refuseUnstorableText,
  rowOfKept,
  type TableDeclaration,
  type Test,
  type Tests,
} from '../../core/storage.js';
import type { Database, Engine, Scalar, StoredRows } from './binding.js';

// Rows that may be damaged by a disk, a failed restore or a manual change. A row that cannot be read is left out and
// reported to operators; all other rows stay usable.

export type { StoredRows } from './binding.js';

/** Throws if a stored value is not valid. */
export function intact(condition: boolean): asserts condition {
  if (!condition) throw new Error('a stored row is damaged');
}

/** Each damaged row is logged once per process. */
const logs = new WeakMap<Engine, ReturnType<typeof damageLog>>();

/** The value of a row; undefined if it is damaged, which is logged. */
export function readRow<Row extends object, Value>(
  { engine, log }: Pick<Database, 'engine' | 'log'>,
  rows: StoredRows<Row, Value>,
  row: Row,
): Value | undefined {
  try {
    return rows.read(engine.values, row);
  } catch {
    const logged = logs.get(engine) ?? damageLog(log);
    logs.set(engine, logged);
    const name = nameOfRow(rows, row);
    logged(rows.table, rows.isPersonal ? name : { [rows.key]: name });
    return undefined;
  }
}

/** The values of the rows that are not damaged. */
export function readRows<Row extends object, Value extends object>(
  database: Pick<Database, 'engine' | 'log'>,
  rows: StoredRows<Row, Value>,
  found: readonly Row[],
): Value[] {
  return found.flatMap((row) => readRow(database, rows, row) ?? []);
}

function nameOfRow({ key }: StoredRows, row: object): string {
  return String((row as Record<string, unknown>)[key]);
}

/** Rows read by one statement. */
const portion = 500;

/** Reads the whole table and returns the damaged rows. */
export async function damageIn(database: Database, contract: string, rows: StoredRows): Promise<Damage[]> {
  const { table, key, columns } = rows;
  const damaged: Damage[] = [];
  for (let last: unknown; ; ) {
    const found: object[] = await database.run(({ read }) => {
      const query = read(table).select(columns).orderBy(key).limit(portion);
      return last === undefined ? query : query.where(key, '>', last as string | number);
    });
    for (const row of found) {
      try {
        rows.read(database.engine.values, row);
      } catch {
        damaged.push({ contract, table, row: `${key} ${nameOfRow(rows, row)}` });
      }
    }
    const end = found.at(-1);
    if (end === undefined || found.length < portion) return damaged;
    last = (end as Record<string, unknown>)[key];
  }
}

// Values that every engine of the family stores alike.

/**
 * JSON text, which engines store as text: if they parsed it, they would refuse or lose an escaped NUL or half a surrogate
 * pair in its strings.
 */
export function json(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw new Fault('internal', 'A value that JSON cannot represent was to be stored');
  return text;
}

export function parseJson(value: unknown): unknown {
  return JSON.parse(value as string);
}

/**
 * Refuses values that some engine would change or lose: a NUL or half a surrogate pair in text, infinity and NaN, also
 * inside lists.
 */
export function refuseUnstorable(value: unknown): void {
  if (typeof value === 'string') {
    refuseUnstorableText(value);
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Fault('internal', `${value} cannot be stored`);
  } else if (Array.isArray(value)) {
    for (const each of value) refuseUnstorable(each);
  }
}

/** Makes a Knex refuse to bind such values. */
export function refusingUnstorable(knex: Knex): Knex {
  const client = knex.client as { prepBindings(bindings?: readonly unknown[]): readonly unknown[] | undefined };
  const prepare = client.prepBindings.bind(client);
  client.prepBindings = (bindings) => {
    refuseUnstorable(bindings);
    return prepare(bindings);
  };
  return knex;
}

// A SELECT that Knex's builder makes, run as `Database.query` runs a fixed one.

/**
 * Stops in the engine if the database is one `until` a signal, which statements that the builder runs itself do not. The
 * text should not depend on the values that are bound: its prepared statement is kept.
 */
export function select<Row>(database: Database, build: (read: Knex) => Knex.QueryBuilder): Promise<Row[]> {
  const { sql, bindings } = build(database.read).toSQL();
  return database.query<Row>(sql, bindings as readonly Scalar[]);
}

// The rows of a declared table, between SQL and the form in which they are kept, and its conditions and orders as SQL, one text
// for each shape.

export type SqlRow = Record<string, unknown>;

const columnNames = new Map<string, string>();

/** `lastUsed` in a declaration is `last_used` in SQL. */
export function columnName(name: string): string {
  const known = columnNames.get(name) ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  columnNames.set(name, known);
  return known;
}

/** A value as a driver binds it. */
export function boundOfValue(
  values: Engine['values'],
  kind: ColumnKind | undefined,
  value: Kept | undefined,
): Scalar | Buffer {
  if (value === undefined) return null;
  if (kind === 'boolean') return values.boolean(value as boolean) as Scalar;
  if (kind === 'time') return values.time(new Date(value as number)) as Scalar;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value;
}

export function sqlRowOf(
  values: Engine['values'],
  { columns }: TableDeclaration,
  row: KeptRow,
): Record<string, Scalar | Buffer> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [columnName(name), boundOfValue(values, columns[name]?.kind, value)]),
  );
}

/** What `Engine.bound` calls the kinds that it has. */
const boundKinds: { readonly [Kind in ColumnKind]?: 'integer' | 'text' | 'time' | 'json' } = {
  text: 'text',
  small: 'integer',
  short: 'integer',
  time: 'time',
  json: 'json',
};

/** A statement that adds a list of rows, and may wait: undefined if another row could be in the way of one. */
export function insertionOfRows(
  engine: Engine,
  { name, columns, key, unique = [] }: TableDeclaration,
  names: readonly string[],
): string | undefined {
  if (unique.length > 0 || columns[key[0] as string]?.kind !== 'generated') return undefined;
  const kinds: Record<string, 'integer' | 'text' | 'time' | 'json'> = {};
  for (const each of names) {
    const kind = boundKinds[(columns[each] as Column).kind];
    if (kind === undefined) return undefined;
    kinds[columnName(each)] = kind;
  }
  const list = Object.keys(kinds).join(', ');
  return `insert into ${name} (${list}) select ${list} from ${engine.bound(kinds)} q`;
}

/** Throws if the value is damaged. */
function keptOf(values: Engine['values'], { kind, optional }: Column, value: unknown): Kept | undefined {
  if (value === null) {
    intact(optional);
    return undefined;
  }
  if (kind === 'text' || kind === 'json') {
    intact(typeof value === 'string');
    return value;
  }
  if (kind === 'time') {
    const time = values.parseTime(value).getTime();
    intact(!Number.isNaN(time));
    return time;
  }
  if (kind === 'boolean') return values.parseBoolean(value);
  if (kind === 'bytes') {
    intact(value instanceof Uint8Array);
    return value;
  }
  const number = typeof value === 'string' ? values.parseBig(value) : value;
  intact(typeof number === 'number' && (kind === 'double' ? Number.isFinite(number) : Number.isSafeInteger(number)));
  return number;
}

/** How rows are read that were selected with these columns. */
interface SelectedRows extends StoredRows<SqlRow, object> {
  readonly selection: string;
}

/** A declared table with what is computed once. */
export interface StoredTable {
  readonly declaration: TableDeclaration;
  readonly rows: SelectedRows;
  /** `rows` for the search for damage. */
  readonly searched: SelectedRows;
  rowsWithout(without: readonly string[]): SelectedRows;
  /** The values of the key. */
  keyOf(values: Engine['values'], row: SqlRow): KeptRow;
  /** The values of some columns, as a cursor has them; undefined if one is damaged. */
  cursorOf(values: Engine['values'], row: SqlRow, order: readonly string[]): object | undefined;
}

/** A unique column rather than a number that the table gives, and one that has no data of people, if the table has one. */
function knownBy({ columns, key, unique = [] }: TableDeclaration): string {
  const [first] = key as [string];
  const others = columns[first]?.kind === 'generated' ? unique.filter((set) => set.length === 1).flat() : [];
  return others.find((name) => !columns[name]?.optional && !columns[name]?.of) ?? first;
}

const tablesByDeclaration = new WeakMap<TableDeclaration, StoredTable>();

export function storedTable(declaration: TableDeclaration): StoredTable {
  const stored = tablesByDeclaration.get(declaration) ?? newStoredTable(declaration);
  tablesByDeclaration.set(declaration, stored);
  return stored;
}

function newStoredTable(declaration: TableDeclaration): StoredTable {
  const { name: table, columns, key } = declaration;
  const keeping = (names: readonly string[]) => {
    const read = names.map((name) => [name, columnName(name), columns[name] as Column] as const);
    return (values: Engine['values'], row: SqlRow): KeptRow => {
      const kept: Record<string, Kept> = {};
      for (const [name, inSql, column] of read) {
        const value = keptOf(values, column, row[inSql]);
        if (value !== undefined) kept[name] = value;
      }
      return kept;
    };
  };
  const named = knownBy(declaration);
  const rowsOf = (names: readonly string[]): SelectedRows => {
    const shown = names.includes(named) ? named : (key[0] as string);
    const keep = keeping(names);
    return {
      selection: `select ${names.map(columnName).join(', ')} from ${table}`,
      table,
      key: columnName(shown),
      isPersonal: columns[shown]?.of !== undefined,
      columns: names.map(columnName),
      read(values, row) {
        const read = rowOfKept<object>(declaration, keep(values, row));
        intact(declaration.sound?.(read) !== false);
        return read;
      },
    };
  };
  const all = rowsOf(Object.keys(columns));
  const selected = new Map([['', all]]);
  return {
    declaration,
    rows: all,
    searched: {
      ...all,
      read(values, row) {
        const read = all.read(values, row);
        intact(declaration.isIntact?.(read) !== false);
        return read;
      },
    },
    rowsWithout(without) {
      const rows = selected.get(`${without}`) ?? rowsOf(Object.keys(columns).filter((name) => !without.includes(name)));
      selected.set(`${without}`, rows);
      return rows;
    },
    keyOf: keeping(key),
    cursorOf(values, row, order) {
      try {
        return rowOfKept<object>(declaration, keeping(order)(values, row));
      } catch {
        return undefined;
      }
    },
  };
}

// Conditions and orders of declared tables as SQL; one text for each shape.

/** A condition, with the values of its placeholders; an empty one is true of every row. */
export type SqlCondition = readonly [sql: string, bindings: readonly Scalar[]];

/** One of the alternatives, of which there are some, holds, and the row has none of the keys of `except`. */
export function conditionOfTests(
  engine: Engine,
  declaration: TableDeclaration,
  tests: Tests,
  except: readonly KeptRow[] = [],
): SqlCondition {
  const parts = tests.some((all) => all.length === 0) ? [] : [someOf(engine, declaration, tests)];
  for (const key of except) {
    const [sql, bindings] = withKey(engine, declaration, key);
    parts.push([`not (${sql})`, bindings]);
  }
  return [parts.map(([sql]) => sql).join(' and '), parts.flatMap(([, bindings]) => bindings)];
}

function someOf(engine: Engine, declaration: TableDeclaration, tests: Tests): SqlCondition {
  const alternatives = tests.map((all): SqlCondition => {
    const parts = all.map((test) => conditionOn(engine, declaration, test));
    return [parts.map(([sql]) => sql).join(' and '), parts.flatMap(([, bindings]) => bindings)];
  });
  const bindings = alternatives.flatMap(([, bound]) => bound);
  const texts = alternatives.map(([sql]) => sql);
  return [texts.length === 1 ? `${texts}` : `(${texts.map((sql) => `(${sql})`).join(' or ')})`, bindings];
}

function conditionOn({ values, among }: Engine, { columns }: TableDeclaration, test: Test): SqlCondition {
  const column = columnName(test.column);
  const bound = (value: Parameters<typeof boundOfValue>[2]) =>
    boundOfValue(values, columns[test.column]?.kind, value) as Scalar;
  if (test.is === 'absent') return [`${column} is null`, []];
  if (test.is === 'beginning') return beginningWith(column, test.value);
  if (test.is !== 'among') return [`${column} ${test.is} ?`, [bound(test.value)]];
  const { sql, bindings } = among(column, [...test.values].map(bound));
  return [sql, bindings];
}

export function withKey({ values }: Engine, { columns }: TableDeclaration, key: KeptRow): SqlCondition {
  const names = Object.keys(key);
  return [
    names.map((name) => `${columnName(name)} = ?`).join(' and '),
    names.map((name) => boundOfValue(values, columns[name]?.kind, key[name]) as Scalar),
  ];
}

export function orderBy(columns: readonly string[], descending?: boolean): string {
  return columns.map((name) => `${columnName(name)}${descending ? ' desc' : ''}`).join(', ');
}

const lastCharacter = 0x10ffff;

/** As a range, which an index has: up to the first text that comes after all that begin so. */
function beginningWith(column: string, begin: string): SqlCondition {
  const points = [...begin].map((one) => one.codePointAt(0) as number);
  while (points.at(-1) === lastCharacter) points.pop();
  const last = points.pop();
  if (last === undefined) return [`${column} >= ?`, [begin]];
  // Halves of pairs are no characters.
  const next = last === 0xd7ff ? 0xe000 : last + 1;
  return [`${column} >= ? and ${column} < ?`, [begin, String.fromCodePoint(...points, next)]];
}
