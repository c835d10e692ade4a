/** Rows of declared tables on ordered keys; table-keys.js says where they are. `tablesAbove` makes the operations of tables of them. */
import { deserialize } from 'node:v8';
import { fulfils, isNumbered, numberedRows, taken } from 'trefoil/storage';
import { rangeAfter, TableKeys } from './table-keys.js';

/** Rows that are read together: those of a page of `each`. */
const portion = 500;

/**
 * Rows that are read and written through a binding's `{ read, write }`. `isPart` says that these belong to a transaction: there is
 * one writer at a time, so that it holds all rows. `damaged` is called with the name of the table and the key of a row that cannot be read.
 */
export function keeperOn({ read, write, isPart = false }, damaged) {
  const rowsOf = (space) => (table) => new LevelRows(space, table, damaged);
  return {
    isPart,
    read: (look) => read((space) => look(rowsOf(space))),
    write: (work) => write((space) => work(rowsOf(space))),
    transaction: (work) => write((space) => space.steps((inside) => work(keeperOn(inside, damaged)))),
    damaged: (table, row) => damaged(table.name, new TableKeys(table).rowKey(row)),
  };
}

export class LevelRows {
  #space;
  #table;
  #keys;
  #damaged;

  constructor(space, table, damaged) {
    this.#space = space;
    this.#table = table;
    this.#keys = new TableKeys(table);
    this.#damaged = damaged;
  }

  /** Reads the ranges of keys in which rows that fulfil the tests can be. */
  candidates({ tests, order, descending = false, after, limit }) {
    const parts = this.#keys.partsFor(tests, limit === undefined ? undefined : order);
    const isOrdered = parts[0]?.isOrdered ?? false;
    if (isOrdered && after) parts[0].ranges = [rangeAfter(parts[0], after, descending)];
    return { isOrdered, portions: this.#portionsOf(parts, isOrdered && descending, limit) };
  }

  async at(row) {
    return (await this.#rowsAt([this.#keys.rowKey(row)]))[0];
  }

  async add(rows) {
    const numbered = await this.#numbered(rows);
    const claimed = numbered.map((row) => this.#keys.claimedBy(row));
    const known = await this.#space.bytesOf(claimed.flat());
    const held = new Set(claimed.flat().filter((_, i) => known[i] !== undefined));
    return numbered.filter((row, i) => {
      if (claimed[i].some((key) => held.has(key))) return false;
      for (const key of claimed[i]) held.add(key);
      this.#put(undefined, row);
      return true;
    });
  }

  async replace(before, after) {
    const [rowKey, ...others] = after ? this.#keys.claimedBy(after) : [];
    const fresh = others.filter((key) => !before || !this.#keys.entriesOf(before).includes(key));
    const owners = await this.#space.getMany(fresh);
    if (owners.some((owner) => owner !== undefined && owner !== rowKey)) throw taken(this.#table);
    this.#put(before, after);
  }

  /** All rows that can be read. */
  async all() {
    const rows = [];
    for await (const portion of this.candidates({ tests: [[]] }).portions) rows.push(...portion);
    return rows;
  }

  /** Puts a row and its entries in the place of another one with its key. */
  #put(before, after) {
    const rowKey = this.#keys.rowKey(after ?? before);
    const [old, fresh] = [before, after].map((row) => (row ? this.#keys.entriesOf(row) : []));
    for (const key of old) if (!fresh.includes(key)) this.#space.remove(key);
    for (const key of fresh) if (!old.includes(key)) this.#space.put(key, rowKey);
    if (after) this.#space.put(rowKey, after);
    else this.#space.remove(rowKey);
  }

  /** The rows with numbers, if the table gives them. */
  async #numbered(rows) {
    if (!isNumbered(this.#table)) return rows;
    const last = (await this.#space.get(this.#keys.counter)) ?? 0;
    this.#space.put(this.#keys.counter, last + rows.length);
    return numberedRows(this.#table, rows, last);
  }

  async *#portionsOf(parts, reverse, limit) {
    for (const [i, { tests, keys, ranges, isRows }] of parts.entries()) {
      // A row that fulfils an earlier alternative was found by that one.
      const isNew = (row) => parts.slice(0, i).every((earlier) => !fulfils(earlier.tests, row));
      const entries = keys ? entriesAt(this.#space, keys) : entriesIn(this.#space, ranges, reverse);
      for await (const some of inPortions(entries, limit)) {
        const rows = isRows ? this.#decoded(some) : await this.#rowsAt(this.#decoded(some, 'string').filter(Boolean));
        yield rows.filter((row) => row && fulfils(tests, row) && isNew(row));
      }
    }
  }

  /** The rows under these keys, undefined for those that are missing or damaged. */
  async #rowsAt(keys) {
    const bytes = await this.#space.bytesOf(keys);
    return this.#decoded(keys.map((key, i) => [key, bytes[i]]));
  }

  /** Rows, or their keys, from their bytes. */
  #decoded(entries, kind = 'object') {
    return entries.map(([key, bytes]) => {
      if (bytes === undefined) return undefined;
      try {
        const value = deserialize(bytes);
        if (typeof value === kind) return value;
      } catch {
        // These are no longer the bytes that were written.
      }
      this.#damaged(this.#table.name, key);
      return undefined;
    });
  }
}

async function* entriesIn(space, ranges, reverse) {
  for (const range of ranges) yield* space.bytesIn(range, { reverse });
}

async function* entriesAt(space, keys) {
  for (const [i, bytes] of (await space.bytesOf(keys)).entries()) if (bytes) yield [keys[i], bytes];
}

/** At first as many as are wanted: many callers want one row. */
async function* inPortions(entries, limit = portion) {
  let [some, size] = [[], Math.min(limit, portion)];
  for await (const entry of entries) {
    if (some.push(entry) < size) continue;
    yield some;
    [some, size] = [[], Math.min(2 * size, portion)];
  }
  if (some.length > 0) yield some;
}
