/** Declared tables on ordered keys: see `core/table.ts` for what they promise, and table-keys.js for where rows are. */
import { deserialize } from 'node:v8';
import {
  changedRow,
  changesOf,
  Fault,
  fulfils,
  grouped,
  keptCursor,
  keptRow,
  keptRows,
  keptValue,
  mergedRow,
  pageOf,
  rowOfKept,
  rowOrder,
  rowsOfPages,
  taken,
  testsOf,
  totalOrder,
} from 'trefoil/storage';
import { rangeAfter, TableKeys } from './table-keys.js';

/** Rows that are read together through their entries. */
const portion = 64;
/** Entries between ranges that are read rather than a new iterator begun. */
const mostBetween = 8;

/**
 * Tables that read and write through a binding's `{ read, write }`. `isPart` says that these belong to a transaction, which
 * alone can hold rows: there is one writer at a time, so that it holds all of them. `damage` is told of damaged rows.
 */
export function tablesOn(access, damage) {
  const transaction = (work) => access.write((space) => space.steps((inside) => work(tablesOn(inside, damage))));
  return {
    table: (declaration) => new LevelTable(access, damage, declaration),
    snapshot: async (work, { signal } = {}) => {
      signal?.throwIfAborted();
      return access.read((space) => work(tablesOn({ read: async (look) => look(space), write: refuse }, damage)));
    },
    transaction,
    later: access.isPart ? transaction : grouped(transaction),
  };
}

async function refuse() {
  throw new Fault('internal', 'A snapshot is read-only');
}

class LevelTable {
  #access;
  #damage;
  #declaration;
  #keys;

  constructor(access, damage, declaration) {
    this.#access = access;
    this.#damage = damage;
    this.#declaration = declaration;
    this.#keys = new TableKeys(declaration);
  }

  async add(row, { signal } = {}) {
    const kept = keptRow(this.#declaration, row);
    return this.#writing(signal, async (space) => {
      const [added] = await this.#added(space, [kept]);
      return added && rowOfKept(this.#declaration, added);
    });
  }

  async addMany(rows, { signal } = {}) {
    const kept = keptRows(this.#declaration, rows);
    return this.#writing(signal, async (space) =>
      (await this.#added(space, kept)).map((row) => rowOfKept(this.#declaration, row)),
    );
  }

  async append(rows, { signal } = {}) {
    const kept = keptRows(this.#declaration, rows);
    return this.#writing(signal, async (space) => {
      if ((await this.#added(space, kept)).length < kept.length) throw taken(this.#declaration);
    });
  }

  async put(row, columns, { signal } = {}) {
    const { name, key } = this.#declaration;
    const kept = keptRow(this.#declaration, row);
    if (key.some((each) => kept[each] === undefined)) throw new Fault('internal', `${name} gives its keys itself`);
    return this.#writing(signal, async (space) => {
      const rowKey = this.#keys.rowKey(kept);
      const [before] = await this.#rowsAt(space, [rowKey]);
      const after = before ? mergedRow(this.#declaration, before, kept, columns) : kept;
      const claimed = this.#keys.claimedBy(after).filter((each) => each !== rowKey);
      for (const owner of await space.getMany(claimed)) {
        if (owner !== undefined && owner !== rowKey) throw taken(this.#declaration);
      }
      this.#replace(space, before, after);
      return this.#read(after) ?? rowOfKept(this.#declaration, kept);
    });
  }

  async find(query = {}) {
    return this.#reading(query, async (space) => listed(this.#readable(space, query), query.limit));
  }

  async one(where, options = {}) {
    const [row] = await this.find({ ...options, where, limit: 1 });
    return row;
  }

  async page(query) {
    return this.#reading(query, async (space) => {
      const found = await listed(this.#select(space, query), query.limit);
      return pageOf(this.#declaration, found, query, (row) => this.#read(row, query.without));
    });
  }

  each(query = {}) {
    return rowsOfPages((page) => this.page(page), query);
  }

  async count(where, options = {}) {
    return this.#reading(options, async (space) => {
      let count = 0;
      for await (const _ of this.#select(space, { ...options, where })) count += 1;
      return count;
    });
  }

  async lock(where, options = {}) {
    if (!this.#access.isPart) throw new Fault('internal', 'Rows are held in transactions only');
    return this.find({ ...options, where, order: this.#declaration.key });
  }

  async take({ where, order = [], descending, signal }, change) {
    return this.#writing(signal, async (space) => {
      for await (const row of this.#select(space, { where, order, descending, limit: 1 })) {
        const read = this.#read(row);
        if (read === undefined) continue;
        const after = changedRow(this.#declaration, row, changesOf(this.#declaration, change(read)));
        this.#replace(space, row, after);
        return rowOfKept(this.#declaration, after);
      }
      return undefined;
    });
  }

  async change(where, changes, { signal } = {}) {
    const fresh = changesOf(this.#declaration, changes);
    return this.#writing(signal, (space) =>
      this.#replaceAll(space, { where, signal }, (row) => changedRow(this.#declaration, row, fresh)),
    );
  }

  async remove(where, { signal } = {}) {
    return this.#writing(signal, (space) => this.#replaceAll(space, { where, signal }, () => undefined));
  }

  async #reading({ signal }, look) {
    signal?.throwIfAborted();
    return this.#access.read(look);
  }

  async #writing(signal, work) {
    signal?.throwIfAborted();
    return this.#access.write(async (space) => {
      signal?.throwIfAborted();
      const result = await work(space);
      signal?.throwIfAborted();
      return result;
    });
  }

  /** As callers see it; undefined if it is damaged. */
  #read(row, without = []) {
    const { columns, sound } = this.#declaration;
    const isMissing = (name) => row[name] === undefined && !columns[name].optional && !without.includes(name);
    try {
      const read = rowOfKept(this.#declaration, row, without);
      if (!Object.keys(columns).some(isMissing) && sound?.(read) !== false) return read;
    } catch {
      // What is stored is not what the repository writes.
    }
    this.#damage(this.#declaration, this.#keys.rowKey(row));
    return undefined;
  }

  #decoded(key, bytes, kind) {
    const value = decoded(bytes, kind);
    if (bytes !== undefined && value === undefined) this.#damage(this.#declaration, key);
    return value;
  }

  async #rowsAt(space, keys) {
    return (await space.bytesOf(keys)).map((bytes, i) => this.#decoded(keys[i], bytes));
  }

  /** The rows that fulfil the conditions, as they are kept: in order if the query has one, and then after `query.after`. */
  async *#select(space, { where, order, descending, limit, after, signal }) {
    const tests = testsOf(this.#declaration, where);
    const total = order && totalOrder(this.#declaration, order);
    const cursor = after && keptCursor(this.#declaration, total, after);
    const parts = this.#keys.partsFor(tests, limit === undefined ? undefined : total);
    const rows = this.#fulfilling(space, parts, cursor, descending, signal);
    if (total === undefined || parts[0]?.isOrdered) yield* rows;
    else {
      const compare = rowOrder(total, descending);
      const found = await listed(rows);
      yield* found.filter((row) => cursor === undefined || compare(row, cursor) > 0).sort(compare);
    }
  }

  /** Those that are not damaged, as callers see them. */
  async *#readable(space, query) {
    for await (const row of this.#select(space, query)) {
      const read = this.#read(row, query.without);
      if (read !== undefined) yield read;
    }
  }

  async *#fulfilling(space, parts, cursor, descending, signal) {
    for (const [i, part] of parts.entries()) {
      const ranges = part.isOrdered && cursor ? [rangeAfter(part, cursor, descending)] : part.ranges;
      for await (const row of this.#candidates(space, { ...part, ranges }, part.isOrdered && descending)) {
        signal?.throwIfAborted();
        // A row that fulfils an earlier alternative was found by that one.
        const isNew = parts.slice(0, i).every(({ tests }) => !fulfils(tests, row));
        if (isNew && fulfils(part.tests, row)) yield row;
      }
    }
  }

  async *#candidates(space, { keys, ranges, isRows }, reverse) {
    const bytes = keys ? entriesAt(space, keys) : entriesIn(space, ranges, reverse);
    if (isRows) {
      for await (const [key, value] of bytes) {
        const row = this.#decoded(key, value);
        if (row !== undefined) yield row;
      }
      return;
    }
    for await (const entries of inPortions(bytes)) {
      const rowKeys = entries.flatMap(([key, value]) => this.#decoded(key, value, 'string') ?? []);
      for (const row of await this.#rowsAt(space, rowKeys)) if (row !== undefined) yield row;
    }
  }

  /** Adds those rows that are free. */
  async #added(space, rows) {
    await this.#number(space, rows);
    const claimed = rows.map((row) => this.#keys.claimedBy(row));
    const all = claimed.flat();
    const known = await space.bytesOf(all);
    const held = new Set(all.filter((_, i) => known[i] !== undefined));
    return rows.filter((row, i) => {
      if (claimed[i].some((key) => held.has(key))) return false;
      for (const key of claimed[i]) held.add(key);
      this.#replace(space, undefined, row);
      return true;
    });
  }

  /** Gives rows their numbers, if the table does. */
  async #number(space, rows) {
    const { name, columns, key } = this.#declaration;
    const generated = key.find((each) => columns[each].kind === 'generated');
    if (generated === undefined) return;
    let last = (await space.get(this.#keys.counter)) ?? 0;
    for (const row of rows) row[generated] = keptValue(columns[generated], ++last, `${name}.${generated}`);
    space.put(this.#keys.counter, last);
  }

  /** Changes, or removes, all rows that fulfil the conditions; returns how many. */
  async #replaceAll(space, query, changed) {
    const rows = await listed(this.#select(space, query));
    for (const row of rows) this.#replace(space, row, changed(row));
    return rows.length;
  }

  /** Puts a row and its entries in the place of another one with its key. */
  #replace(space, before, after) {
    const rowKey = this.#keys.rowKey(after ?? before);
    const [old, fresh] = [before, after].map((row) => (row ? this.#keys.entriesOf(row) : []));
    for (const key of old) if (!fresh.includes(key)) space.remove(key);
    for (const key of fresh) if (!old.includes(key)) space.put(key, rowKey);
    if (after) space.put(rowKey, after);
    else space.remove(rowKey);
  }
}

/** What was written, from its bytes; undefined if there are none, or if they are no longer what was written. */
export function decoded(bytes, kind = 'object') {
  if (bytes === undefined) return undefined;
  try {
    const value = deserialize(bytes);
    return typeof value === kind && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What is in the ranges: of many, through one iterator as long as little lies between them. */
async function* entriesIn(space, ranges, reverse) {
  if (ranges.length === 1) yield* space.bytesIn(ranges[0], { reverse });
  const sorted = ranges.length === 1 ? [] : ranges.toSorted((one, other) => (one.from < other.from ? -1 : 1));
  const before = sorted.at(-1)?.before;
  for (let next = 0, isOver = false; next < sorted.length && !isOver; ) {
    let between = 0;
    isOver = true;
    for await (const entry of space.bytesIn({ from: sorted[next].from, before })) {
      while (next < sorted.length && sorted[next].before <= entry[0]) next += 1;
      if (next === sorted.length) return;
      if (entry[0] >= sorted[next].from) yield entry;
      else if (++between > mostBetween) {
        isOver = false;
        break;
      }
    }
  }
}

async function* entriesAt(space, keys) {
  for (let i = 0; i < keys.length; i += portion) {
    const some = keys.slice(i, i + portion);
    for (const [at, bytes] of (await space.bytesOf(some)).entries()) yield [some[at], bytes];
  }
}

/** Few at first: many callers want one row. */
async function* inPortions(entries) {
  let [some, size] = [[], 1];
  for await (const entry of entries) {
    if (some.push(entry) < size) continue;
    yield some;
    [some, size] = [[], Math.min(2 * size, portion)];
  }
  if (some.length > 0) yield some;
}

/** The first of them, all without a limit. */
async function listed(rows, limit = Number.POSITIVE_INFINITY) {
  const list = [];
  if (limit > 0) {
    for await (const row of rows) if (list.push(row) >= limit) break;
  }
  return list;
}
