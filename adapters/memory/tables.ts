/**
 * Declared tables in memory: the reference of what `core/table.ts` promises, and no more. Transactions run side by side; each
 * holds the rows that it changes, and sees what others have committed. With a seed it is strict: callers take turns at every
 * step, and rows without an order come in a random one, so that code which relies on more than the promises fails.
 */
import {
  type Change,
  type Changes,
  changedRow,
  changesOf,
  Fault,
  fulfils,
  grouped,
  type Kept,
  type KeptRow,
  keptCursor,
  keptRow,
  keptRows,
  mergedRow,
  type Page,
  type PageQuery,
  pageOf,
  type Query,
  type Reading,
  rowOfKept,
  rowOrder,
  rowsOfPages,
  type Table,
  type TableDeclaration,
  type Tables,
  type Tests,
  taken,
  testsOf,
  totalOrder,
  type Where,
} from '../../core/storage.js';
import { type Rows, type TableData, Transaction } from './transaction.js';

/** Whose rows a table shows: those of a transaction, those of one moment, or at each call those that are committed then. */
export type View = { readonly transaction: Transaction } | { readonly moment: ReadonlyMap<string, Rows> } | 'now';

/** Gives a new table the row that it begins with. */
export function begin(data: TableData, table: TableDeclaration): void {
  if (table.first === undefined) return;
  const row = keptRow(table, table.first);
  data.committed.set(table.name, new Map([[textOf(row, table.key), row]]));
}

/** All tables of a storage. `enter` is called before each operation, and may refuse it. */
export function tablesOf(data: TableData, view: View, enter: () => void): Tables {
  const within = async <Result>(work: (tables: Tables) => Promise<Result>): Promise<Result> => {
    enter();
    const transaction = new Transaction(data);
    let over = false;
    const inside = tablesOf(data, { transaction }, () => {
      enter();
      if (over) throw new Fault('internal', 'The transaction is over: its scope may not be used any more');
    });
    try {
      const result = await work(inside);
      transaction.commit();
      return result;
    } finally {
      over = true;
      transaction.end();
    }
  };
  const isPart = view !== 'now';
  const tables: Tables = {
    table: (declaration) => new MemoryTable(data, view, enter, declaration),
    async snapshot(work, { signal } = {}) {
      const begin = () => {
        enter();
        signal?.throwIfAborted();
      };
      begin();
      return work(isPart ? tables : tablesOf(data, { moment: new Map(data.committed) }, begin));
    },
    async transaction(work) {
      if (view !== 'now' && 'moment' in view) {
        throw new Fault('internal', 'A snapshot is read-only: no transaction can begin in it');
      }
      return isPart ? work(tables) : within(work);
    },
    later: isPart ? (work) => tables.transaction(work) : grouped(within),
  };
  return tables;
}

class MemoryTable<Row extends object, New extends object> implements Table<Row, New> {
  readonly #data: TableData;
  readonly #view: View;
  readonly #begin: () => void;
  readonly #declaration: TableDeclaration;

  constructor(data: TableData, view: View, begin: () => void, declaration: TableDeclaration) {
    this.#data = data;
    this.#view = view;
    this.#begin = begin;
    this.#declaration = declaration;
  }

  add(row: New, options: Pick<Reading, 'signal'> = {}): Promise<Row | undefined> {
    return this.#writing(options.signal, async (transaction) => {
      const added = await this.#added(transaction, keptRow(this.#declaration, row), options.signal);
      return added && this.#row(added);
    });
  }

  addMany(rows: readonly New[], options: Pick<Reading, 'signal'> = {}): Promise<Row[]> {
    return this.#writing(options.signal, async (transaction) => {
      const added: KeptRow[] = [];
      for (const row of keptRows(this.#declaration, rows)) {
        const one = await this.#added(transaction, row, options.signal);
        if (one !== undefined) added.push(one);
      }
      return this.#shuffled(added).map((row) => this.#row(row));
    });
  }

  append(rows: readonly New[], options: Pick<Reading, 'signal'> = {}): Promise<void> {
    return this.#writing(options.signal, async (transaction) => {
      for (const row of keptRows(this.#declaration, rows)) {
        if ((await this.#added(transaction, row, options.signal)) === undefined) throw taken(this.#declaration);
      }
    });
  }

  put(row: New, columns?: readonly (keyof Row & string)[], options: Pick<Reading, 'signal'> = {}): Promise<Row> {
    return this.#writing(options.signal, async (transaction) => {
      const { name, key } = this.#declaration;
      const fresh = keptRow(this.#declaration, row);
      if (key.some((each) => fresh[each] === undefined)) throw new Fault('internal', `${name} gives its keys itself`);
      const keyText = textOf(fresh, key);
      await transaction.hold(`${name} ${keyText}`, options.signal);
      const before = transaction.row(name, keyText);
      if (before === undefined) {
        const added = await this.#added(transaction, fresh, options.signal);
        if (added === undefined) throw taken(this.#declaration);
        return this.#row(added);
      }
      const after = mergedRow(this.#declaration, before, fresh, columns);
      const sets = this.#uniqueSets(after);
      for (const { text } of sets) await transaction.hold(`${name} ${text}`, options.signal);
      if (this.#isTaken(transaction, sets, keyText)) throw taken(this.#declaration);
      transaction.set(name, keyText, after);
      return this.#row(after);
    });
  }

  find(query: Query<Row> = {}): Promise<Row[]> {
    return this.#reading(query, () => this.#found(query).map((row) => this.#row(row, query.without)));
  }

  async one(where: Where<Row>, options: Omit<Query<Row>, 'where' | 'limit'> = {}): Promise<Row | undefined> {
    const [row] = await this.find({ ...options, where, limit: 1 });
    return row;
  }

  page(query: PageQuery<Row>): Promise<Page<Row>> {
    return this.#reading(query, () => {
      const order = totalOrder(this.#declaration, query.order);
      const found = this.#found(query, query.after && keptCursor(this.#declaration, order, query.after));
      return pageOf(this.#declaration, found, query, (row) => this.#row(row, query.without));
    });
  }

  each(query: Omit<Query<Row>, 'limit'> = {}): AsyncIterable<Row> {
    return rowsOfPages((page) => this.page(page), query);
  }

  count(where?: Where<Row>, options: Reading = {}): Promise<number> {
    return this.#reading(options, () => this.#found({ ...(where && { where }) }).length);
  }

  async lock(where: Where<Row>, { without, signal }: Pick<Query<Row>, 'without' | 'signal'> = {}): Promise<Row[]> {
    if (this.#view === 'now') throw new Fault('internal', 'Rows are held in transactions only');
    return this.#writing(signal, async (transaction) => {
      const held = await this.#held(transaction, testsOf(this.#declaration, where), signal);
      return held.map(([, row]) => this.#row(row, without));
    });
  }

  take(
    query: Pick<Query<Row>, 'where' | 'order' | 'descending' | 'signal'>,
    change: (row: Row) => Changes<Row>,
  ): Promise<Row | undefined> {
    const { name, key } = this.#declaration;
    return this.#writing(query.signal, async (transaction) => {
      for (;;) {
        const found = this.#foundIn(transaction.rows(name), { ...query, order: query.order ?? [] });
        const lockOf = (row: KeptRow) => `${name} ${textOf(row, key)}`;
        const first = found.find((row) => transaction.isFree(lockOf(row))) ?? found[0];
        if (first === undefined) return undefined;
        await transaction.hold(lockOf(first), query.signal);
        const now = transaction.row(name, textOf(first, key));
        if (now === undefined || !fulfils(testsOf(this.#declaration, query.where), now)) continue;
        return this.#row(this.#changed(transaction, now, changesOf(this.#declaration, change(this.#row(now)))));
      }
    });
  }

  change(where: Where<Row>, changes: Changes<Row>, options: Pick<Reading, 'signal'> = {}): Promise<number> {
    return this.#writing(options.signal, async (transaction) => {
      const fresh = changesOf(this.#declaration, changes);
      const held = await this.#held(transaction, testsOf(this.#declaration, where), options.signal);
      for (const [, row] of held) this.#changed(transaction, row, fresh);
      return held.length;
    });
  }

  remove(where: Where<Row>, options: Pick<Reading, 'signal'> = {}): Promise<number> {
    return this.#writing(options.signal, async (transaction) => {
      const held = await this.#held(transaction, testsOf(this.#declaration, where), options.signal);
      const { name } = this.#declaration;
      for (const [key, row] of held) {
        // Whoever adds one of its values waits to learn whether they are free.
        for (const { text } of this.#uniqueSets(row)) await transaction.hold(`${name} ${text}`, options.signal);
        transaction.set(name, key, undefined);
      }
      return held.length;
    });
  }

  async #reading<Result>({ signal }: Reading, work: () => Result): Promise<Result> {
    this.#begin();
    await this.#data.pause();
    signal?.throwIfAborted();
    return work();
  }

  async #writing<Result>(
    signal: AbortSignal | undefined,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    this.#begin();
    signal?.throwIfAborted();
    if (this.#view === 'now') {
      const transaction = new Transaction(this.#data);
      try {
        const result = await work(transaction);
        signal?.throwIfAborted();
        transaction.commit();
        return result;
      } finally {
        transaction.end();
      }
    }
    if (!('transaction' in this.#view)) throw new Fault('internal', 'A snapshot is read-only');
    return work(this.#view.transaction);
  }

  #row(kept: KeptRow, without?: readonly string[]): Row {
    return rowOfKept<Row>(this.#declaration, kept, without);
  }

  #rows(): Rows {
    const { name } = this.#declaration;
    if (this.#view === 'now') return this.#data.committed.get(name) ?? new Map();
    return 'moment' in this.#view ? (this.#view.moment.get(name) ?? new Map()) : this.#view.transaction.rows(name);
  }

  #found(query: Query<Row>, after?: KeptRow): KeptRow[] {
    return this.#foundIn(this.#rows(), query, after);
  }

  #foundIn(rows: Rows, query: Query<Row>, after?: KeptRow): KeptRow[] {
    const tests = testsOf(this.#declaration, query.where);
    let found = [...rows.values()].filter((row) => fulfils(tests, row));
    if (query.order === undefined) found = this.#shuffled(found);
    else {
      const order = rowOrder(totalOrder(this.#declaration, query.order), query.descending);
      found.sort(order);
      if (after !== undefined) found = found.filter((row) => order(row, after) > 0);
    }
    return found.slice(0, query.limit);
  }

  #shuffled(rows: KeptRow[]): KeptRow[] {
    const places = rows.map((row) => [this.#data.random() ?? 0, row] as const);
    return places.sort(([one], [other]) => one - other).map(([, row]) => row);
  }

  /** Holds the rows that fulfil the conditions, in the order of their keys; of those that changed meanwhile, what still does. */
  async #held(
    transaction: Transaction,
    tests: Tests,
    signal: AbortSignal | undefined,
  ): Promise<[key: string, row: KeptRow][]> {
    const { name, key } = this.#declaration;
    const found = [...transaction.rows(name).values()].filter((row) => fulfils(tests, row)).sort(rowOrder(key));
    const held: [string, KeptRow][] = [];
    for (const row of found) {
      const keyText = textOf(row, key);
      await transaction.hold(`${name} ${keyText}`, signal);
      const now = transaction.row(name, keyText);
      if (now !== undefined && fulfils(tests, now)) held.push([keyText, now]);
    }
    return held;
  }

  async #added(
    transaction: Transaction,
    given: KeptRow,
    signal: AbortSignal | undefined,
  ): Promise<KeptRow | undefined> {
    const { name, columns, key } = this.#declaration;
    const row: Record<string, Kept> = { ...given };
    for (const each of key.filter((one) => columns[one]?.kind === 'generated')) {
      const number = (this.#data.numbers.get(name) ?? 0) + 1;
      this.#data.numbers.set(name, number);
      row[each] = number;
    }
    const keyText = textOf(row, key);
    const sets = this.#uniqueSets(row);
    for (const text of [keyText, ...sets.map((set) => set.text)]) await transaction.hold(`${name} ${text}`, signal);
    if (transaction.row(name, keyText) !== undefined || this.#isTaken(transaction, sets, keyText)) return undefined;
    transaction.set(name, keyText, row);
    return row;
  }

  /** Whether a row of another key has one of these unique values. */
  #isTaken(transaction: Transaction, sets: readonly UniqueSet[], keyText: string): boolean {
    if (sets.length === 0) return false;
    for (const [other, stored] of transaction.rows(this.#declaration.name)) {
      if (other !== keyText && sets.some((set) => textOf(stored, set.columns) === set.values)) return true;
    }
    return false;
  }

  /** The unique sets that a row has all columns of. */
  #uniqueSets(row: KeptRow): UniqueSet[] {
    return (this.#declaration.unique ?? [])
      .filter((set) => set.every((each) => row[each] !== undefined))
      .map((columns) => ({ columns, values: textOf(row, columns), text: `${columns} ${textOf(row, columns)}` }));
  }

  #changed(transaction: Transaction, row: KeptRow, changes: readonly Change[]): KeptRow {
    const { name, key } = this.#declaration;
    const after = changedRow(this.#declaration, row, changes);
    transaction.set(name, textOf(row, key), after);
    return after;
  }
}

/** Columns, and the values of a row in them. */
interface UniqueSet {
  columns: readonly string[];
  values: string;
  /** Both. */
  text: string;
}

/** The values of some columns as one text. */
function textOf(row: KeptRow, columns: readonly string[]): string {
  return JSON.stringify(columns.map((column) => row[column]));
}
