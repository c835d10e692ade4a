/** Keys of declared tables: rows under their key, entries for unique sets and indexes, and the keys that a question needs. */
import { keyOf } from './keys.js';

const end = '\u0000';
const past = '\u0001';
/** No text goes on with it: see `ordered`. */
const afterAll = '\uffff';
const numbers = 2 ** 53;
/** Lists of values are combined up to so many ranges. */
const mostRanges = 10_000;

/**
 * A value as text whose code units have the order of promise 1, that of code points: the halves of pairs, which UTF-16 puts
 * before U+E000 to U+FFFF, come last. A text has no U+0000, and its last unit is never followed by the second half of a pair.
 */
function ordered(value) {
  if (typeof value === 'string') {
    return value.replace(/[\ud800-\uffff]/g, (unit) => {
      const code = unit.charCodeAt(0);
      return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800);
    });
  }
  const number = Number(value);
  const [sign, digits] = number < 0 ? [0, number + numbers] : [1, number];
  return `${sign}${String(digits).padStart(16, '0')}`;
}

const present = (value) => `1${ordered(value)}`;
const part = (value) => (value === undefined ? '0' : present(value)) + end;

/** All keys that begin with this, which ends with a part. */
export const under = (begin) => ({ from: begin, before: begin.slice(0, -1) + past });

/** Columns by which rows are found: the key has the rows themselves, a unique set and an index have entries for them. */
class KeySet {
  constructor({ name, key }, kind, columns) {
    this.columns = columns;
    this.kind = kind;
    this.prefix = keyOf(name, kind === 'key' ? kind : `${kind} ${columns}`, '');
    /** The columns and the key: what tells all rows apart. */
    this.all = [...columns, ...key.filter((column) => !columns.includes(column))];
  }

  /** Whether no other row may have these values: absent conflicts with nothing. */
  isClaimedBy(row) {
    return this.kind !== 'index' && this.columns.every((column) => row[column] !== undefined);
  }

  keyOf(row) {
    const columns = this.isClaimedBy(row) ? this.columns : this.all;
    return this.prefix + columns.map((column) => part(row[column])).join('');
  }
}

export class TableKeys {
  /** Where the table counts its numbers. */
  counter;
  /** What the entries of its rows begin with, by unique set and index. */
  prefixes;
  /** The range of its rows. */
  rows;
  #key;
  #others;

  constructor(table) {
    const { name, key, unique = [], indexes = [] } = table;
    this.counter = keyOf(name, 'last number');
    this.#key = new KeySet(table, 'key', key);
    this.#others = [
      ...unique.map((columns) => new KeySet(table, 'unique', columns)),
      ...indexes.map((columns) => new KeySet(table, 'index', columns)),
    ];
    this.prefixes = this.#others.map(({ prefix }) => prefix);
    this.rows = under(this.#key.prefix);
  }

  rowKey(row) {
    return this.#key.keyOf(row);
  }

  entriesOf(row) {
    return this.#others.map((set) => set.keyOf(row));
  }

  /** The keys that no other row may have. */
  claimedBy(row) {
    return [this.#key, ...this.#others].filter((set) => set.isClaimedBy(row)).map((set) => set.keyOf(row));
  }

  /**
   * Where the rows are that can fulfil the tests, for each alternative: `keys`, if they are known, or else `ranges`, of rows or
   * of entries (`isRows`), with the `tests` that remain. It is one part with all rows if an alternative tells nothing about keys.
   * A part that `isOrdered` has its rows in the order that is asked for.
   */
  partsFor(tests, order) {
    const parts = tests.map((all) => this.#partFor(all, tests.length === 1 ? order : undefined));
    return parts.every(({ score }) => score > 1) ? parts : [{ ...this.#partFor([], order), tests }];
  }

  #partFor(all, order) {
    const parts = [this.#key, ...this.#others].map((set) => partIn(set, all, order));
    return parts.reduce((best, each) => (each.score > best.score ? each : best));
  }
}

/** The keys of a set that an alternative needs, and how much better that is than to read all of them. */
function partIn(set, all, order) {
  let begins = [set.prefix];
  let fixed = 0;
  let isPresent = true;
  for (const values of set.columns.map((column) => valuesFor(column, all))) {
    const isMany = begins.length > 1 && values?.length > 1 && begins.length * values.length > mostRanges;
    if (values === undefined || isMany) break;
    begins = begins.flatMap((begin) => values.map((value) => begin + part(value)));
    isPresent &&= !values.includes(undefined);
    fixed += 1;
  }
  const isKnown = set.kind !== 'index' && isPresent && fixed === set.columns.length;
  const bounds = all.filter(({ column, value }) => column === set.columns[fixed] && value !== undefined);
  const rest = (set.kind === 'unique' ? set.columns : set.all).slice(fixed);
  const asked = order?.filter((column) => !set.columns.slice(0, fixed).includes(column)).slice(0, rest.length);
  const isOrdered = begins.length === 1 && isPresent && !isKnown && !!asked?.every((column, i) => column === rest[i]);
  // Many rows may lack a value.
  const selects = 4 * fixed - (isPresent ? 0 : 2) + (bounds.length > 0 ? 2 : 0);
  const score = (isKnown ? 1000 : 0) + selects + (isOrdered ? 1 : 0);
  const found = isKnown ? { keys: begins } : { ranges: begins.map((begin) => rangeWithin(begin, bounds)) };
  return { tests: [all], isRows: set.kind === 'key', ...found, score, isOrdered, begin: begins[0], asked };
}

/** The values that a column can have, undefined for absent; undefined if they are not listed. */
function valuesFor(column, all) {
  const test = all.find((each) => each.column === column && ['=', 'among', 'absent'].includes(each.is));
  return test && (test.is === 'among' ? [...test.values] : [test.value]);
}

function rangeWithin(begin, bounds) {
  let { from, before } = under(begin);
  const narrow = (low, high) => {
    if (low > from) from = low;
    if (high < before) before = high;
  };
  for (const { is, value } of bounds) {
    const at = begin + present(value);
    if (is === 'beginning') narrow(at, at + afterAll);
    else if (is === '>') narrow(at + past, before);
    else if (is === '>=') narrow(at + end, before);
    else narrow(from, at + (is === '<' ? end : past));
  }
  return { from, before };
}

/** What of a part that is in order comes after a row. */
export function rangeAfter({ begin, asked, ranges: [range] }, row, descending) {
  const { from, before } = under(begin + asked.map((column) => part(row[column])).join(''));
  if (descending) return { ...range, before: from < range.before ? from : range.before };
  return { ...range, from: before > range.from ? before : range.from };
}
