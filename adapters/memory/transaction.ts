/** What tables in memory hold, and transactions that hold rows and wait for each other. */
import { setImmediate } from 'node:timers/promises';
import { Fault, type KeptRow } from '../../core/storage.js';

/** Rows by the text of their key. They are replaced, never changed. */
export type TableRows = ReadonlyMap<string, KeptRow>;

/** What a storage holds: all tables by name. */
export class TableData {
  readonly committed = new Map<string, TableRows>();
  /** The last generated number of each table. */
  readonly numbers = new Map<string, number>();
  /** Who holds a row or a unique value. */
  readonly holders = new Map<string, Transaction>();
  readonly #seed: number | undefined;
  #turn = 0;

  constructor(seed?: number) {
    this.#seed = seed;
  }

  /** A number from 0 to 1 that the seed determines; undefined if the storage is not strict. */
  random(): number | undefined {
    if (this.#seed === undefined) return undefined;
    this.#turn += 1;
    const mixed = Math.imul((this.#seed + this.#turn) ^ 0x9e3779b9, 0x85ebca6b);
    return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32;
  }

  /** Lets others go first, as often as the seed says. */
  async pause(): Promise<void> {
    for (let turns = Math.floor((this.random() ?? 0) * 3); turns > 0; turns--) await setImmediate();
  }
}

/** Changes that become visible together. */
export class Transaction {
  readonly #data: TableData;
  readonly #below: ReadonlyMap<string, TableRows>;
  readonly #changes = new Map<string, Map<string, KeptRow | undefined>>();
  readonly #states = new Map<string, { committed: TableRows }>();
  readonly #held = new Set<string>();
  readonly #ended: Promise<void>;
  #end: () => void = () => {};
  #waitsFor: Transaction | undefined;

  /** Above what others commit while it runs, or above the tables of one moment. */
  constructor(data: TableData, below: ReadonlyMap<string, TableRows> = data.committed) {
    this.#data = data;
    this.#below = below;
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** The row that it sees under a key. */
  row(table: string, key: string): KeptRow | undefined {
    const changes = this.#changes.get(table);
    return changes?.has(key) ? changes.get(key) : this.#below.get(table)?.get(key);
  }

  /** The rows that it sees. */
  rows(table: string): TableRows {
    const committed = this.#below.get(table) as TableRows;
    const changes = this.#changes.get(table);
    if (changes === undefined) return committed;
    const rows = new Map(committed);
    for (const [key, row] of changes) {
      if (row === undefined) rows.delete(key);
      else rows.set(key, row);
    }
    return rows;
  }

  set(table: string, key: string, row: KeptRow | undefined): void {
    const changes = this.#changes.get(table) ?? new Map<string, KeptRow | undefined>();
    this.#changes.set(table, changes.set(key, row));
    this.#states.delete(table);
  }

  /** Another object whenever it may see other rows of the table. */
  state(table: string): object {
    const committed = this.#below.get(table) as TableRows;
    const known = this.#states.get(table);
    if (known?.committed === committed) return known;
    const state = { committed };
    this.#states.set(table, state);
    return state;
  }

  isFree(what: string): boolean {
    const holder = this.#data.holders.get(what);
    return holder === undefined || holder === this;
  }

  /** Waits until no other transaction holds it, and holds it until the end. Throws `conflict` if the other waits for this one. */
  async hold(what: string, signal: AbortSignal | undefined): Promise<void> {
    await this.#data.pause();
    while (!this.isFree(what)) {
      const holder = this.#data.holders.get(what) as Transaction;
      for (let other: Transaction | undefined = holder; other; other = other.#waitsFor) {
        if (other === this) throw new Fault('conflict', 'Two changes waited for each other: try again');
      }
      this.#waitsFor = holder;
      await Promise.race([holder.#ended, aborted(signal)]);
      this.#waitsFor = undefined;
      signal?.throwIfAborted();
    }
    this.#data.holders.set(what, this);
    this.#held.add(what);
  }

  commit(): void {
    for (const table of this.#changes.keys()) this.#data.committed.set(table, this.rows(table));
  }

  /** Frees what it held. */
  end(): void {
    for (const what of this.#held) this.#data.holders.delete(what);
    this.#end();
  }
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return new Promise(() => {});
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
