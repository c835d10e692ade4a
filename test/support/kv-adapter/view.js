/** The interfaces by which bindings read and write. */
import { deserialize, serialize } from 'node:v8';
import { Fault, oneByOne } from 'trefoil/storage';
import { keyOf } from './keys.js';

/** One state of the database; without a snapshot the present: for the one writer, during which nothing else changes. */
export const stateOf = (db, snapshot) => ({
  getMany: (keys) => db.getMany(keys, { snapshot }),
  /** The entries with `from <= key < before`, ascending. */
  range: ({ from, before }, reverse = false) => db.iterator({ gte: from, lt: before, reverse, snapshot }),
});

/** Changes on top of a state, visible through the draft only until they are written, all at once, or discarded. */
export class Draft {
  #below;
  /** Key → bytes; undefined for removed keys. */
  changes = new Map();

  constructor(below) {
    this.#below = below;
  }

  async getMany(keys) {
    const known = await this.#below.getMany(keys.filter((key) => !this.changes.has(key)));
    let next = 0;
    return keys.map((key) => (this.changes.has(key) ? this.changes.get(key) : known[next++]));
  }

  /** Merges two ordered lists; a change replaces the entry of the same key. */
  async *range(range, reverse = false) {
    const comesFirst = (one, other) => (reverse ? one > other : one < other);
    const changed = [...this.changes].filter(([key]) => key >= range.from && key < range.before);
    changed.sort(([one], [other]) => (comesFirst(one, other) ? -1 : 1));
    let next = 0;
    for await (const entry of this.#below.range(range, reverse)) {
      while (next < changed.length && comesFirst(changed[next][0], entry[0])) yield changed[next++];
      yield changed[next]?.[0] === entry[0] ? changed[next++] : entry;
    }
    yield* changed.slice(next);
  }
}

/**
 * The part of a view that belongs to one contract: its keys begin with the contract's id, so that `notes@1` and
 * `notes@2` keep their data apart. Values are plain data (Dates and undefined included); every read makes new ones.
 */
export class Space {
  #view;
  #contract;
  #prefix;

  constructor(view, contract) {
    this.#view = view;
    this.#contract = contract;
    this.#prefix = keyOf(contract, '');
  }

  async get(key) {
    return (await this.getMany([key]))[0];
  }

  /** The values of the keys, undefined for missing ones. */
  async getMany(keys) {
    return (await this.bytesOf(keys)).map((bytes) => bytes && deserialize(bytes));
  }

  /** The entries of a range (`under`), lazily. */
  async *range(range, options) {
    for await (const [key, bytes] of this.bytesIn(range, options)) yield [key, deserialize(bytes)];
  }

  /** `getMany`, before the values are read: for what must go on if one of them cannot be. */
  bytesOf(keys) {
    return this.#view.getMany(keys.map((key) => this.#prefix + key));
  }

  /** `range`, before the values are read. */
  async *bytesIn({ from, before }, { reverse = false } = {}) {
    const range = { from: this.#prefix + from, before: this.#prefix + before };
    for await (const [key, bytes] of this.#view.range(range, reverse)) {
      // Drafts have removed keys too.
      if (bytes !== undefined) yield [key.slice(this.#prefix.length), bytes];
    }
  }

  put(key, value) {
    this.#view.changes.set(this.#prefix + key, serialize(value));
  }

  remove(key) {
    this.#view.changes.set(this.#prefix + key, undefined);
  }

  /** Runs work that reads and writes in steps, as a transaction does: see `within`. */
  steps(work) {
    return within(this.#view, (access) => work(access(this.#contract)));
  }
}

/**
 * Runs the work of a transaction on a draft. `access(contract)` is `{ read, write }` as bindings get it. A write that throws
 * half way leaves nothing in the transaction, even if the work goes on; writes do not mix.
 */
export async function within(draft, work) {
  let over = false;
  const inTurn = oneByOne();
  const inside = () => {
    if (over) throw new Fault('internal', 'The transaction is over: its scope may not be used any more');
  };
  const access = (contract) => ({
    isPart: true,
    read: async (look) => {
      inside();
      return look(new Space(draft, contract));
    },
    write: (change) =>
      inTurn(async () => {
        inside();
        const own = new Draft(draft);
        const result = await change(new Space(own, contract));
        inside();
        for (const [key, value] of own.changes) draft.changes.set(key, value);
        return result;
      }),
  });
  try {
    return await work(access);
  } finally {
    over = true;
  }
}
