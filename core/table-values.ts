/**
 * Rows as adapters keep them, and conditions in a form that SQL and loops can both follow: what every implementation of tables
 * checks alike.
 */
import { Fault } from './fault.js';
import type { Column } from './table/columns.js';
import {
  absent,
  type Changes,
  type Cursor,
  largestValue,
  type Page,
  type PageQuery,
  type Query,
  type Table,
  type TableDeclaration,
  type Where,
} from './table.js';

/** A value as it is kept: a time as milliseconds, JSON as text, bytes as a copy. */
export type Kept = string | number | boolean | Uint8Array;
/** A row as it is kept; absent members are missing. */
export type KeptRow = Readonly<Record<string, Kept>>;

/** One condition. A value is never bytes. */
export type Test =
  | { readonly column: string; readonly is: '=' | '<' | '<=' | '>' | '>='; readonly value: Kept }
  | { readonly column: string; readonly is: 'among'; readonly values: ReadonlySet<Kept> }
  | { readonly column: string; readonly is: 'beginning'; readonly value: string }
  | { readonly column: string; readonly is: 'absent' };
/** Alternatives, each a list of conditions that all hold. */
export type Tests = readonly (readonly Test[])[];

const invalid = (message: string) => new Fault('invalid', message);
const internal = (message: string) => new Fault('internal', message);

/** A key or a unique value of the table is another row's. */
export function taken({ name }: TableDeclaration): Fault {
  return new Fault('conflict', `A row of ${name} with this key or unique value exists`);
}

/** Checks a row that is to be stored; throws `invalid` for what no engine may be given, and `internal` for a mistake in code. */
export function keptRow({ name, columns }: TableDeclaration, row: object): Record<string, Kept> {
  const kept: Record<string, Kept> = {};
  const given = row as Readonly<Record<string, unknown>>;
  for (const each of Object.keys(given)) if (!columns[each]) throw internal(`The table ${name} has no column ${each}`);
  for (const [each, column] of Object.entries(columns)) {
    const value = given[each];
    if (value !== undefined) kept[each] = keptValue(column, value, `${name}.${each}`);
    else if (!column.optional && column.kind !== 'generated') throw internal(`${name}.${each} is missing`);
  }
  return kept;
}

/** Rows that are to be stored, in the order of their keys unless the table gives these. */
export function keptRows(declaration: TableDeclaration, rows: readonly object[]): Record<string, Kept>[] {
  const kept = rows.map((row) => keptRow(declaration, row));
  return isNumbered(declaration) ? kept : kept.sort(rowOrder(declaration.key));
}

/** Whether the table gives its rows their numbers, which are the whole key. */
export function isNumbered({ columns, key }: TableDeclaration): boolean {
  return columns[key[0] as string]?.kind === 'generated';
}

/** Rows of such a table with the numbers that follow the last one. */
export function numberedRows(table: TableDeclaration, rows: readonly KeptRow[], last: number): KeptRow[] {
  const [name] = table.key as [string];
  const numberOf = (i: number) => keptValue(table.columns[name] as Column, last + i + 1, `${table.name}.${name}`);
  return rows.map((row, i) => ({ ...row, [name]: numberOf(i) }));
}

export function keptValue({ kind }: Column, value: unknown, place: string): Kept {
  if (kind === 'text' && typeof value === 'string') {
    refuseUnstorableText(value);
    return sized(value);
  }
  if (typeof value === 'number' && kind === 'double' && Number.isFinite(value)) return value + 0;
  if (typeof value === 'number' && kind === 'integer' && Number.isSafeInteger(value)) return value + 0;
  if (typeof value === 'number' && (kind === 'small' || kind === 'generated') && (value | 0) === value)
    return value + 0;
  if (typeof value === 'number' && kind === 'short' && (value << 16) >> 16 === value) return value + 0;
  if (kind === 'boolean' && typeof value === 'boolean') return value;
  if (kind === 'time' && value instanceof Date && !Number.isNaN(value.getTime())) return value.getTime();
  if (kind === 'bytes' && value instanceof Uint8Array) {
    if (value.byteLength > largestValue) throw tooLarge();
    return new Uint8Array(value);
  }
  if (kind === 'json') return sized(jsonText(value, place));
  throw internal(`A value for ${place} is no ${kind}`);
}

/** Whether every storage keeps the text unchanged: it has neither the character U+0000 nor half a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Some engine would change or lose it. */
export function refuseUnstorableText(text: string): void {
  if (!isStorableText(text)) {
    throw invalid('Text may not contain the character U+0000 or half a surrogate pair');
  }
}

function sized(text: string): string {
  if (Buffer.byteLength(text) > largestValue) throw tooLarge();
  return text;
}

const tooLarge = () => invalid(`A stored value may have at most ${largestValue} bytes`);

/** A Date would come back as a string. */
function jsonText(value: unknown, place: string): string {
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key, member) {
    if (this[key] instanceof Date) throw internal(`A value for ${place} contains a Date, which JSON has not`);
    return member;
  });
  if (text === undefined) throw internal(`A value for ${place} cannot be represented by JSON`);
  return text;
}

/** The row as callers see it: copies of everything. */
export function rowOfKept<Row>({ columns }: TableDeclaration, kept: KeptRow, without: readonly string[] = []): Row {
  const row: Record<string, unknown> = {};
  for (const name in columns) {
    const [value, kind] = [kept[name], columns[name]?.kind];
    if (value === undefined || without.includes(name)) continue;
    if (kind === 'json') row[name] = JSON.parse(value as string);
    else if (kind === 'time') row[name] = new Date(value as number);
    else row[name] = kind === 'bytes' ? new Uint8Array(value as Uint8Array) : value;
  }
  return row as Row;
}

/**
 * Alternatives that no row can fulfil (a column among no values) are left out: without any left there is nothing to look for.
 * Throws `internal` for conditions that the types refuse, or whose value is undefined.
 */
export function testsOf<Row>(declaration: TableDeclaration, where: Where<Row> = {}): Tests {
  const alternatives = (Array.isArray(where) ? where : [where]) as readonly Readonly<Record<string, unknown>>[];
  return alternatives
    .map((conditions) =>
      Object.entries(conditions).flatMap(([name, condition]) => testsOn(declaration, name, condition)),
    )
    .filter((tests) => !tests.some((test) => test.is === 'among' && test.values.size === 0));
}

const bounds = { below: '<', atMost: '<=', above: '>', atLeast: '>=' } as const;

function testsOn({ name: table, columns }: TableDeclaration, name: string, condition: unknown): Test[] {
  const place = `${table}.${name}`;
  const column = columns[name];
  if (column === undefined) throw internal(`The table ${table} has no column ${name}`);
  if (condition === absent) return [{ column: name, is: 'absent' }];
  if (column.kind === 'json' || column.kind === 'bytes') throw internal(`${place} cannot be compared`);
  const isPlain = typeof condition !== 'object' || condition === null || condition instanceof Date;
  if (isPlain) return [{ column: name, is: '=', value: keptValue(column, condition, place) }];
  const tests: Test[] = [];
  for (const [kind, given] of Object.entries(condition)) {
    if (kind === 'among') {
      const values = new Set((given as readonly unknown[]).map((value) => keptValue(column, value, place)));
      tests.push({ column: name, is: 'among', values });
    } else if (kind === 'beginning' && column.kind === 'text') {
      tests.push({ column: name, is: 'beginning', value: keptValue(column, given, place) as string });
    } else if (kind in bounds) {
      const is = bounds[kind as keyof typeof bounds];
      tests.push({ column: name, is, value: keptValue(column, given, place) });
    } else throw internal(`A condition on ${place} is unknown: ${kind}`);
  }
  if (tests.length === 0) throw internal(`A condition on ${place} says nothing`);
  return tests;
}

/** A new value of a column; `plus` adds to the old one. */
export interface Change {
  readonly column: string;
  readonly is: 'value' | 'plus' | 'absent';
  /** Omitted for `absent`. */
  readonly value?: Kept;
}

/** Throws `internal` for a column of the key, for a unique one that is not emptied, and for one that cannot be absent. */
export function changesOf<Row>(declaration: TableDeclaration, changes: Changes<Row>): Change[] {
  const { name, columns, key, unique = [] } = declaration;
  return Object.entries(changes as Readonly<Record<string, unknown>>).map(([each, change]): Change => {
    const column = columns[each];
    if (column === undefined || key.includes(each)) throw internal(`${name}.${each} cannot be changed`);
    if (change === absent) {
      if (!column.optional) throw internal(`${name}.${each} cannot be absent`);
      return { column: each, is: 'absent' };
    }
    if (unique.flat().includes(each)) throw internal(`${name}.${each} is unique: it can only become absent`);
    const isNumber = ['integer', 'small', 'short', 'double'].includes(column.kind);
    if (isNumber && typeof change === 'object' && change !== null && 'plus' in change) {
      return { column: each, is: 'plus', value: keptValue(column, change.plus, `${name}.${each}`) };
    }
    return { column: each, is: 'value', value: keptValue(column, change, `${name}.${each}`) };
  });
}

/** The row with these changes. `plus` leaves an absent number absent. */
export function changedRow({ name, columns }: TableDeclaration, row: KeptRow, changes: readonly Change[]): KeptRow {
  const after: Record<string, Kept> = { ...row };
  for (const { column, is, value } of changes) {
    const before = after[column];
    if (value === undefined) delete after[column];
    else if (is === 'value') after[column] = value;
    else if (before !== undefined) {
      after[column] = keptValue(columns[column] as Column, Number(before) + Number(value), `${name}.${column}`);
    }
  }
  return after;
}

/** The row with these columns of another one, all if omitted: as `put` leaves it. */
export function mergedRow(
  { columns }: TableDeclaration,
  row: KeptRow,
  given: KeptRow,
  names: readonly string[] = Object.keys(columns),
): KeptRow {
  const after: Record<string, Kept> = { ...row };
  for (const name of names) {
    const value = given[name];
    if (value === undefined) delete after[name];
    else after[name] = value;
  }
  return after;
}

/** Whether a kept row fulfils one of the alternatives. */
export function fulfils(tests: Tests, row: KeptRow): boolean {
  return tests.some((all) => all.every((test) => holds(test, row[test.column])));
}

function holds(test: Test, value: Kept | undefined): boolean {
  if (test.is === 'absent') return value === undefined;
  if (value === undefined) return false;
  if (test.is === 'among') return test.values.has(value);
  if (test.is === 'beginning') return (value as string).startsWith(test.value);
  const order = compareKept(value, test.value);
  if (test.is === '=') return order === 0;
  if (test.is === '<') return order < 0;
  if (test.is === '<=') return order <= 0;
  return test.is === '>' ? order > 0 : order >= 0;
}

/** Text by code point, numbers and times by value, false before true. */
export function compareKept(one: Kept, other: Kept): number {
  if (typeof one === 'string' && typeof other === 'string') return compareText(one, other);
  return Number(one) - Number(other);
}

/** UTF-16 puts characters above U+FFFF, whose halves are U+D800 to U+DFFF, before U+E000 to U+FFFF. */
function compareText(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i++) {
    const [left, right] = [one.charCodeAt(i), other.charCodeAt(i)];
    if (left === right) continue;
    const [isHalf, isOtherHalf] = [(left & 0xf800) === 0xd800, (right & 0xf800) === 0xd800];
    return isHalf === isOtherHalf ? left - right : isHalf ? 1 : -1;
  }
  return one.length - other.length;
}

/** For ordered keys: a value, neither bytes nor a double, as text whose UTF-16 code units have the order of `compareKept`. */
export function sortableText(value: Kept): string {
  if (typeof value === 'string') {
    return value.replace(/[\ud800-\uffff]/g, (unit) => {
      const code = unit.charCodeAt(0);
      return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800);
    });
  }
  const number = Number(value);
  const [sign, digits] = number < 0 ? [0, number + 2 ** 53] : [1, number];
  return `${sign}${String(digits).padStart(16, '0')}`;
}

/** The columns of a total order: those given, and the key unless they contain it or a unique set. Throws `internal`. */
export function totalOrder<Row>(
  { name, columns, key, unique = [] }: TableDeclaration,
  order: Query<Row>['order'] = [],
): string[] {
  for (const each of order) {
    const column = columns[each];
    if (!column || column.optional || ['json', 'bytes'].includes(column.kind)) {
      throw internal(`The table ${name} cannot be ordered by ${each}`);
    }
  }
  const given = order as readonly string[];
  const isTotal = [key, ...unique].some((set) => set.every((each) => given.includes(each)));
  return isTotal ? [...given] : [...given, ...key.filter((each) => !given.includes(each))];
}

/** Compares kept rows by the columns of an order. */
export function rowOrder(columns: readonly string[], descending = false): (one: KeptRow, other: KeptRow) => number {
  const sign = descending ? -1 : 1;
  return (one, other) => {
    for (const column of columns) {
      const order = compareKept(one[column] as Kept, other[column] as Kept);
      if (order !== 0) return sign * order;
    }
    return 0;
  };
}

/** The values of a cursor in the order of its columns. Throws `internal` if one is missing. */
export function keptCursor<Row>(declaration: TableDeclaration, order: readonly string[], after: Cursor<Row>): KeptRow {
  const given = after as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    order.map((name) => {
      const column = declaration.columns[name] as Column;
      return [name, keptValue(column, given[name], `${declaration.name}.${name}`)];
    }),
  );
}

/** A page of the rows that were found, at most as many as its limit. `read` returns undefined for a damaged one. */
export function pageOf<Row>(
  declaration: TableDeclaration,
  found: readonly KeptRow[],
  { order, limit }: Pick<PageQuery<Row>, 'order' | 'limit'>,
  read: (row: KeptRow) => Row | undefined,
): Page<Row> {
  const rows = found.flatMap((row) => read(row) ?? []);
  const names = totalOrder(declaration, order);
  // Of a damaged row the place may be damaged too; the page then ends at the row before.
  const last =
    found.length === limit ? found.findLast((row) => names.every((name) => row[name] !== undefined)) : undefined;
  const place = last && Object.fromEntries(names.map((name) => [name, last[name] as Kept]));
  return { rows, damaged: found.length - rows.length, next: place && rowOfKept<Cursor<Row>>(declaration, place) };
}

const pageSize = 500;

/** The rows of all pages of a query, one page after the other. */
export async function* rowsOfPages<Row>(
  page: (query: PageQuery<Row>) => Promise<Page<Row>>,
  query: Omit<Query<Row>, 'limit'>,
): AsyncGenerator<Row> {
  let after: PageQuery<Row>['after'];
  do {
    const found = await page({ ...query, order: query.order ?? [], limit: pageSize, after });
    yield* found.rows;
    after = found.next;
  } while (after !== undefined);
}

/** Up to `limit` rows, of as many pages as that takes: damaged rows do not count. Fewer are all that there are. */
export async function firstRows<Row>(table: Pick<Table<Row, never>, 'page'>, query: PageQuery<Row>): Promise<Row[]> {
  const rows: Row[] = [];
  let { after } = query;
  do {
    const page = await table.page({ ...query, limit: query.limit - rows.length, after });
    rows.push(...page.rows);
    after = page.next;
  } while (after !== undefined && rows.length < query.limit);
  return rows;
}
