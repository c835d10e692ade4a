/**
 * The operations of declared tables, written once above a few things that an adapter does with rows: conditions, order, pages,
 * merging, increments and damage. For adapters that are not SQL; `memory` and the example on LevelDB use it. Only the log of damaged
 * rows is also that of SQL.
 */
import { Fault } from '../fault.js';
import { grouped } from '../gather.js';
import type { Changes, Page, PageQuery, Query, Reading, Table, TableDeclaration, Tables, Where } from '../table.js';
import {
  changedRow,
  changesOf,
  fulfils,
  type KeptRow,
  keptCursor,
  keptRow,
  keptRows,
  mergedRow,
  pageOf,
  rowOfKept,
  rowOrder,
  rowsOfPages,
  type Tests,
  taken,
  testsOf,
  totalOrder,
} from '../table-values.js';

/** What rows are looked for. */
export interface Selection {
  readonly tests: Tests;
  /** Columns of a total order. */
  readonly order?: readonly string[] | undefined;
  readonly descending?: boolean | undefined;
  /** The place in the order behind which rows begin. */
  readonly after?: KeptRow | undefined;
  /** How many are wanted; more are if some of these are damaged. */
  readonly limit?: number | undefined;
}

/** Rows among which are all that fulfil the tests, each once. */
export interface CandidateRows {
  /** Read as they are consumed; rows that do not fulfil the tests may be among them. */
  readonly portions: AsyncIterable<readonly KeptRow[]> | Iterable<readonly KeptRow[]>;
  /** They come in the order of the selection, and only those after its place; otherwise they are sorted. */
  readonly isOrdered: boolean;
}

type Signal = AbortSignal | undefined;

/** The rows of one table in one state, or in one change. */
export interface KeptRows {
  candidates(selection: Selection): CandidateRows;
  /** The row with the key of this one; undefined if there is none, or if it cannot be read. */
  at(row: KeptRow): Promise<KeptRow | undefined>;
  /** Adds those rows whose key and unique values no other has, with the numbers that the table gives; returns them. */
  add(rows: readonly KeptRow[], signal: Signal): Promise<KeptRow[]>;
  /**
   * Puts a row in the place of the one with its key, or removes that one. `before` is undefined if there is none. Throws `taken`
   * if another row has a unique value of it.
   */
  replace(before: KeptRow | undefined, after: KeptRow | undefined, signal: Signal): Promise<void>;
  /** Holds a key until the end of the transaction, and waits while others do. Omitted if there is one writer at a time. */
  hold?(row: KeptRow, signal: Signal): Promise<void>;
  /** Whether no other transaction holds the key of this row. */
  isFree?(row: KeptRow): boolean;
}

/** How an adapter reads and writes rows: those of one storage, transaction or snapshot. */
export interface RowKeeper {
  /** It belongs to a transaction. */
  readonly isPart: boolean;
  /** Runs reads of one state. */
  read<Result>(look: (of: (table: TableDeclaration) => KeptRows) => Promise<Result>): Promise<Result>;
  /** Runs one change, written whole or not at all. */
  write<Result>(work: (of: (table: TableDeclaration) => KeptRows) => Promise<Result>): Promise<Result>;
  /** Runs several changes, written together or not at all. */
  transaction<Result>(work: (inside: RowKeeper) => Promise<Result>): Promise<Result>;
  /** Called with each row that is left out. */
  damaged?(table: TableDeclaration, row: KeptRow): void;
}

/** The tables of a contract, above the rows that an adapter keeps. */
export function tablesAbove(keeper: RowKeeper): Tables {
  const transaction: Tables['transaction'] = (work) => keeper.transaction((inside) => work(tablesAbove(inside)));
  return {
    table: (declaration) => new TableAbove(keeper, declaration),
    async snapshot(work, { signal } = {}) {
      const refuse = async () => {
        throw new Fault('internal', 'A snapshot is read-only');
      };
      signal?.throwIfAborted();
      return keeper.read((of) => {
        const read: RowKeeper['read'] = async (look) => {
          signal?.throwIfAborted();
          return look(of);
        };
        return work(tablesAbove({ ...keeper, isPart: false, read, write: refuse, transaction: refuse }));
      });
    },
    transaction,
    later: keeper.isPart ? transaction : grouped(transaction),
  };
}

class TableAbove<Row extends object, New extends object> implements Table<Row, New> {
  readonly #keeper: RowKeeper;
  readonly #table: TableDeclaration;

  constructor(keeper: RowKeeper, table: TableDeclaration) {
    this.#keeper = keeper;
    this.#table = table;
  }

  add(row: New, { signal }: Pick<Reading, 'signal'> = {}): Promise<Row | undefined> {
    return this.#write(signal, async (rows) => {
      const [added] = await rows.add([keptRow(this.#table, row)], signal);
      return added && rowOfKept<Row>(this.#table, added);
    });
  }

  addMany(all: readonly New[], { signal }: Pick<Reading, 'signal'> = {}): Promise<Row[]> {
    return this.#write(signal, async (rows) => {
      const added = await rows.add(keptRows(this.#table, all), signal);
      return added.map((row) => rowOfKept<Row>(this.#table, row));
    });
  }

  append(all: readonly New[], { signal }: Pick<Reading, 'signal'> = {}): Promise<void> {
    return this.#write(signal, async (rows) => {
      const added = await rows.add(keptRows(this.#table, all), signal);
      if (added.length < all.length) throw taken(this.#table);
    });
  }

  put(row: New, columns?: readonly (keyof Row & string)[], { signal }: Pick<Reading, 'signal'> = {}): Promise<Row> {
    return this.#write(signal, async (rows) => {
      const { name, key } = this.#table;
      const given = keptRow(this.#table, row);
      if (key.some((each) => given[each] === undefined)) throw new Fault('internal', `${name} gives its keys itself`);
      await rows.hold?.(given, signal);
      const before = await rows.at(given);
      const after = before ? mergedRow(this.#table, before, given, columns) : given;
      await rows.replace(before, after, signal);
      return this.#readable(after) ?? rowOfKept<Row>(this.#table, given);
    });
  }

  find(query: Query<Row> = {}): Promise<Row[]> {
    return this.#read(query, (rows) =>
      firstOf(this.#select(rows, query), query.limit, (row) => this.#readable(row, query.without)),
    );
  }

  async one(where: Where<Row>, options: Omit<Query<Row>, 'where' | 'limit'> = {}): Promise<Row | undefined> {
    const [row] = await this.find({ ...options, where, limit: 1 });
    return row;
  }

  page(query: PageQuery<Row>): Promise<Page<Row>> {
    return this.#read(query, async (rows) => {
      const found = await firstOf(this.#select(rows, query), query.limit, (row) => row);
      return pageOf(this.#table, found, query, (row) => this.#readable(row, query.without));
    });
  }

  each(query: Omit<Query<Row>, 'limit'> = {}): AsyncIterable<Row> {
    return rowsOfPages((page) => this.page(page), query);
  }

  count(where?: Where<Row>, options: Reading = {}): Promise<number> {
    return this.#read(options, async (rows) => {
      let count = 0;
      for await (const portion of this.#select(rows, { where: where ?? {}, signal: options.signal })) {
        count += portion.length;
      }
      return count;
    });
  }

  async lock(where: Where<Row>, { without, signal }: Pick<Query<Row>, 'without' | 'signal'> = {}): Promise<Row[]> {
    if (!this.#keeper.isPart) throw new Fault('internal', 'Rows are held in transactions only');
    return this.#write(signal, async (rows) => {
      const held = await this.#held(rows, where, signal);
      return held.flatMap((row) => this.#readable(row, without) ?? []);
    });
  }

  take(
    query: Pick<Query<Row>, 'where' | 'order' | 'descending' | 'signal'>,
    change: (row: Row) => Changes<Row>,
  ): Promise<Row | undefined> {
    return this.#write(query.signal, async (rows) => {
      for (;;) {
        const first = await this.#firstFree(rows, query);
        if (first === undefined) return undefined;
        const row = await held(rows, first, query.signal);
        const read = row && fulfils(testsOf(this.#table, query.where), row) ? this.#readable(row) : undefined;
        // The transaction that held it has changed it.
        if (row === undefined || read === undefined) continue;
        const after = changedRow(this.#table, row, changesOf(this.#table, change(read)));
        await rows.replace(row, after, query.signal);
        return rowOfKept<Row>(this.#table, after);
      }
    });
  }

  change(where: Where<Row>, changes: Changes<Row>, { signal }: Pick<Reading, 'signal'> = {}): Promise<number> {
    return this.#write(signal, async (rows) => {
      const fresh = changesOf(this.#table, changes);
      return this.#replaceAll(rows, where, (row) => changedRow(this.#table, row, fresh), signal);
    });
  }

  remove(where: Where<Row>, { signal }: Pick<Reading, 'signal'> = {}): Promise<number> {
    return this.#write(signal, (rows) => this.#replaceAll(rows, where, () => undefined, signal));
  }

  async #read<Result>({ signal }: Reading, look: (rows: KeptRows) => Promise<Result>): Promise<Result> {
    signal?.throwIfAborted();
    return this.#keeper.read((of) => {
      signal?.throwIfAborted();
      return look(of(this.#table));
    });
  }

  async #write<Result>(signal: Signal, work: (rows: KeptRows) => Promise<Result>): Promise<Result> {
    signal?.throwIfAborted();
    return this.#keeper.write(async (of) => {
      signal?.throwIfAborted();
      const result = await work(of(this.#table));
      signal?.throwIfAborted();
      return result;
    });
  }

  /** The row as callers see it; undefined if it is damaged. */
  #readable(row: KeptRow, without: readonly string[] = []): Row | undefined {
    const { columns, sound } = this.#table;
    const isMissing = (name: string) => row[name] === undefined && !columns[name]?.optional && !without.includes(name);
    try {
      const read = rowOfKept<Row>(this.#table, row, without);
      if (!Object.keys(columns).some(isMissing) && sound?.(read) !== false) return read;
    } catch {
      // What is stored is not what the repository writes.
    }
    this.#keeper.damaged?.(this.#table, row);
    return undefined;
  }

  /** The rows that fulfil the conditions, damaged ones included: in order if the query has one, and then after its cursor. */
  async *#select(
    rows: KeptRows,
    { where, order, descending, limit, after, signal }: Query<Row> & Pick<PageQuery<Row>, 'after'>,
  ): AsyncGenerator<readonly KeptRow[]> {
    if (limit === 0) return;
    const tests = testsOf(this.#table, where);
    const total = order && totalOrder(this.#table, order);
    const place = total && after && keptCursor(this.#table, total, after);
    const { portions, isOrdered } = rows.candidates({ tests, order: total, descending, limit, after: place });
    const all: KeptRow[] = [];
    for await (const portion of portions) {
      signal?.throwIfAborted();
      const found = portion.filter((row) => fulfils(tests, row));
      if (total === undefined || isOrdered) yield found;
      else for (const row of found) all.push(row);
    }
    if (total === undefined || isOrdered) return;
    const compare = rowOrder(total, descending);
    yield all.filter((row) => place === undefined || compare(row, place) > 0).sort(compare);
  }

  /** The first row that no other caller holds, or else the first. */
  async #firstFree(rows: KeptRows, query: Query<Row>): Promise<KeptRow | undefined> {
    let first: KeptRow | undefined;
    for await (const portion of this.#select(rows, { ...query, order: query.order ?? [], limit: 1 })) {
      for (const row of portion) {
        if (this.#readable(row) === undefined) continue;
        if (rows.isFree?.(row) ?? true) return row;
        first ??= row;
      }
    }
    return first;
  }

  /** Holds the rows that fulfil the conditions, in the order of their keys; of those that changed meanwhile, what still does. */
  async #held(rows: KeptRows, where: Where<Row>, signal: Signal): Promise<KeptRow[]> {
    const tests = testsOf(this.#table, where);
    const found = await firstOf(this.#select(rows, { where, signal }), undefined, (row) => row);
    const all: KeptRow[] = [];
    for (const row of found.sort(rowOrder(this.#table.key))) {
      const now = await held(rows, row, signal);
      if (now !== undefined && fulfils(tests, now)) all.push(now);
    }
    return all;
  }

  /** Changes, or removes, all rows that fulfil the conditions; returns how many. */
  async #replaceAll(
    rows: KeptRows,
    where: Where<Row>,
    changed: (row: KeptRow) => KeptRow | undefined,
    signal: Signal,
  ): Promise<number> {
    const before = await this.#held(rows, where, signal);
    const after = before.map(changed);
    for (const [i, row] of before.entries()) await rows.replace(row, after[i], signal);
    return before.length;
  }
}

/** The row once it is held, as it is then. */
async function held(rows: KeptRows, row: KeptRow, signal: Signal): Promise<KeptRow | undefined> {
  if (rows.hold === undefined) return row;
  await rows.hold(row, signal);
  return rows.at(row);
}

/** The first rows that can be read, all without a limit. */
async function firstOf<Result>(
  portions: AsyncIterable<readonly KeptRow[]>,
  limit: number | undefined,
  read: (row: KeptRow) => Result | undefined,
): Promise<Result[]> {
  const found: Result[] = [];
  for await (const portion of portions) {
    for (const row of portion) {
      const one = read(row);
      if (one !== undefined && found.push(one) === limit) return found;
    }
  }
  return found;
}

// Damaged rows in the log.

interface DamageLog {
  error(details: object, message: string): void;
}

const mostLogged = 1000;

/**
 * For adapters: logs that a row of a table is left out because it cannot be read, once for each, up to a thousand. `row` identifies
 * it: columns are in the log, which must name no people (`Column.of`), a text is not.
 */
export function damageLog(log: DamageLog): (table: string, row: object | string) => void {
  const known = new Set<string>();
  return (table, row) => {
    const name = JSON.stringify([table, row]);
    if (known.has(name) || known.size >= mostLogged) return;
    known.add(name);
    log.error({ table, ...(typeof row === 'object' && row) }, 'a row of the storage is damaged and set aside');
  };
}
