/**
 * The rows of a declared table, between SQL and the form in which they are kept, and its conditions and orders as SQL, one text
 * for each shape.
 */
import {
  type Column,
  type ColumnKind,
  type Kept,
  type KeptRow,
  rowOfKept,
  type TableDeclaration,
  type Test,
  type Tests,
} from '../../core/storage.js';
import type { Engine, Scalar } from './binding.js';
import { intact, type StoredRows } from './rows.js';

export type SqlRow = Record<string, unknown>;

const columnNames = new Map<string, string>();

/** `lastUsed` in a declaration is `last_used` in SQL. */
export function columnName(name: string): string {
  const known = columnNames.get(name) ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  columnNames.set(name, known);
  return known;
}

/** A value as a driver binds it. */
export function boundOf(
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
    Object.entries(row).map(([name, value]) => [columnName(name), boundOf(values, columns[name]?.kind, value)]),
  );
}

/** What `Engine.bound` calls the kinds that it has. */
const boundKinds: { readonly [Kind in ColumnKind]?: 'integer' | 'text' | 'time' | 'json' } = {
  text: 'text',
  small: 'integer',
  time: 'time',
  json: 'json',
};

/** A statement that adds a list of rows, and may wait: undefined if another row could be in the way of one. */
export function insertionOf(
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

/** A declared table with what is worked out once. */
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

/** The column by which operators know a row: a unique one rather than a number that the table gave. */
function knownBy({ columns, key, unique = [] }: TableDeclaration): string {
  const [first] = key as [string];
  const [name] = unique.find((set) => set.length === 1 && !columns[set[0] as string]?.optional) ?? key;
  return columns[first]?.kind === 'generated' ? (name as string) : first;
}

const tablesByDeclaration = new WeakMap<TableDeclaration, StoredTable>();

export function storedTable(declaration: TableDeclaration): StoredTable {
  const stored = tablesByDeclaration.get(declaration) ?? newStoredTable(declaration);
  tablesByDeclaration.set(declaration, stored);
  return stored;
}

function newStoredTable(declaration: TableDeclaration): StoredTable {
  const { name: table, columns, key } = declaration;
  const some = (values: Engine['values'], row: SqlRow, names: readonly string[]): KeptRow => {
    const kept: Record<string, Kept> = {};
    for (const name of names) {
      const value = keptOf(values, columns[name] as Column, row[columnName(name)]);
      if (value !== undefined) kept[name] = value;
    }
    return kept;
  };
  const named = knownBy(declaration);
  const rowsOf = (names: readonly string[]): SelectedRows => ({
    selection: `select ${names.map(columnName).join(', ')} from ${table}`,
    table,
    key: columnName(names.includes(named) ? named : (key[0] as string)),
    columns: names.map(columnName),
    read(values, row) {
      const read = rowOfKept<object>(declaration, some(values, row, names));
      intact(declaration.sound?.(read) !== false);
      return read;
    },
  });
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
    keyOf: (values, row) => some(values, row, key),
    cursorOf(values, row, order) {
      try {
        return rowOfKept<object>(declaration, some(values, row, order));
      } catch {
        return undefined;
      }
    },
  };
}

// Conditions and orders of declared tables as SQL; one text for each shape.

/** A condition, with the values of its placeholders; an empty one is true of every row. */
export type SqlCondition = readonly [sql: string, bindings: readonly Scalar[]];

/** One of the alternatives holds, and the row has none of the keys of `except`. */
export function conditionOf(
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
  if (alternatives.length === 0) return ['1 = 0', []];
  const texts = alternatives.map(([sql]) => sql);
  return [texts.length === 1 ? `${texts}` : `(${texts.map((sql) => `(${sql})`).join(' or ')})`, bindings];
}

function conditionOn({ values, among }: Engine, { columns }: TableDeclaration, test: Test): SqlCondition {
  const column = columnName(test.column);
  const bound = (value: Parameters<typeof boundOf>[2]) => boundOf(values, columns[test.column]?.kind, value) as Scalar;
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
    names.map((name) => boundOf(values, columns[name]?.kind, key[name]) as Scalar),
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
