/** Keys of declared tables: rows under their key, entries for unique sets and indexes, and the keys that a question needs. */
import { sortableText } from 'trefoil/storage';
import { end, keyOf, past, startingWith } from './keys.js';

/** No `sortableText` has it. */
const afterAll = '\uffff';
/** Lists of values are combined up to so many ranges. */
const mostRanges = 10_000;

const present = (value) => `1${sortableText(value)}`;
/** Absent values come before all others. */
const part = (value) => (value === undefined ? '0' : present(value)) + end;
const partsOf = (row, columns) => columns.map((column) => part(row[column])).join('');

/** Columns by which rows are found: the key has the rows themselves, a unique set and an index have entries for them. */
class KeySet {
  constructor({ name, key }, kind, columns) {
    this.kind = kind;
    this.columns = columns;
    this.prefix = keyOf(name, kind === 'key' ? kind : `${kind} ${columns}`, '');
    /** The columns and the key: what tells all rows apart. */
    this.all = [...columns, ...key.filter((column) => !columns.includes(column))];
  }

  /** Whether no other row may have these values: absent conflicts with nothing. */
  isClaimedBy(row) {
    return this.kind !== 'index' && this.columns.every((column) => row[column] !== undefined);
  }

  keyOf(row) {
    return this.prefix + partsOf(row, this.isClaimedBy(row) ? this.columns : this.all);
  }
}

export class TableKeys {
  #key;
  #others;

  constructor(table) {
    const { name, key, unique = [], indexes = [] } = table;
    /** Where the table counts its numbers. */
    this.counter = keyOf(name, 'last number');
    this.#key = new KeySet(table, 'key', key);
    this.#others = [
      ...unique.map((columns) => new KeySet(table, 'unique', columns)),
      ...indexes.map((columns) => new KeySet(table, 'index', columns)),
    ];
    /** What the entries of its rows begin with, by unique set and index. */
    this.prefixes = this.#others.map(({ prefix }) => prefix);
  }

  rowKey(row) {
    return this.#key.keyOf(row);
  }

  entriesOf(row) {
    return this.#others.map((set) => set.keyOf(row));
  }

  /** The keys that no other row may have, that of the row first. */
  claimedBy(row) {
    return [this.#key, ...this.#others].filter((set) => set.isClaimedBy(row)).map((set) => set.keyOf(row));
  }

  /**
   * Where the rows are that can fulfil the tests, for each alternative: `keys`, if they are known, or else `ranges`, of rows or
   * of entries (`isRows`). It is one part with all rows if an alternative tells nothing about keys. A part that `isOrdered` has its
   * rows in the order that is asked for.
   */
  partsFor(tests, order) {
    const parts = tests.map((all) => this.#partFor(all, tests.length === 1 ? order : undefined));
    return parts.every(({ score }) => score > 1) ? parts : [{ ...this.#partFor([], order), tests }];
  }

  /** By the set of columns that leaves the fewest rows to read. */
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
  const rangeOf = {
    beginning: (at) => ({ from: at, before: at + afterAll }),
    '>': (at) => ({ from: at + past }),
    '>=': (at) => ({ from: at + end }),
    '<': (at) => ({ before: at + end }),
    '<=': (at) => ({ before: at + past }),
  };
  return bounds.reduce(
    (range, { is, value }) => narrowed(range, rangeOf[is](begin + present(value))),
    startingWith(begin),
  );
}

function narrowed(range, { from = range.from, before = range.before }) {
  return { from: from > range.from ? from : range.from, before: before < range.before ? before : range.before };
}

/** What of a part that is in order comes after a row. */
export function rangeAfter({ begin, asked, ranges: [range] }, row, descending) {
  const at = startingWith(begin + partsOf(row, asked));
  return narrowed(range, descending ? { before: at.from } : { from: at.before });
}
