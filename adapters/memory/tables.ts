/**
 * The rows of declared tables in memory: the reference of what `core/table.ts` promises, and no more. Transactions run side by
 * side; each holds the rows that it changes, and sees what others have committed. With a seed it is strict: callers take turns at
 * every step, and rows without an order come in a random one, so that code which relies on more than the promises fails.
 */
import {
  type Candidates,
  Fault,
  isNumbered,
  type KeptRow,
  type KeptRows,
  keptRow,
  numberedRows,
  type RowKeeper,
  type Selection,
  type TableDeclaration,
  taken,
} from '../../core/storage.js';
import { type TableData, Transaction } from './transaction.js';

/** Adds a table, with the row that it begins with. */
export function begin(data: TableData, table: TableDeclaration): void {
  const rows = table.first === undefined ? [] : [keptRow(table, table.first)];
  data.committed.set(table.name, new Map(rows.map((row) => [textOfColumns(row, table.key), row])));
}

/** The rows of a storage, or those of a transaction. `enter` is called before each operation, and may refuse it. */
export function keeperOfTable(data: TableData, enter: () => void, transaction?: Transaction): RowKeeper {
  const rowsIn = (view: Transaction) => (table: TableDeclaration) => new MemoryRows(data, view, table);
  const keeper: RowKeeper = {
    isPart: transaction !== undefined,
    async read(look) {
      enter();
      await data.pause();
      return look(rowsIn(transaction ?? new Transaction(data, new Map(data.committed))));
    },
    async write(work) {
      enter();
      return transaction ? work(rowsIn(transaction)) : within(data, enter, (inside) => inside.write(work));
    },
    transaction: (work) => (transaction ? work(keeper) : within(data, enter, work)),
  };
  return keeper;
}

/** Runs the work of a transaction. */
export async function within<Result>(
  data: TableData,
  enter: () => void,
  work: (inside: RowKeeper) => Promise<Result>,
): Promise<Result> {
  enter();
  const transaction = new Transaction(data);
  let over = false;
  const inside = () => {
    enter();
    if (over) throw new Fault('internal', 'The transaction is over: its scope may not be used any more');
  };
  try {
    const result = await work(keeperOfTable(data, inside, transaction));
    transaction.commit();
    return result;
  } finally {
    over = true;
    transaction.end();
  }
}

class MemoryRows implements KeptRows {
  readonly #data: TableData;
  readonly #transaction: Transaction;
  readonly #table: TableDeclaration;

  constructor(data: TableData, transaction: Transaction, table: TableDeclaration) {
    this.#data = data;
    this.#transaction = transaction;
    this.#table = table;
  }

  candidates({ order }: Selection): Candidates {
    const rows = [...this.#transaction.rows(this.#table.name).values()];
    return { portions: [order ? rows : this.#shuffled(rows)], isOrdered: false };
  }

  async at(row: KeptRow): Promise<KeptRow | undefined> {
    return this.#transaction.row(this.#table.name, this.#keyOf(row));
  }

  hold(row: KeptRow, signal: AbortSignal | undefined): Promise<void> {
    return this.#transaction.hold(`${this.#table.name} ${this.#keyOf(row)}`, signal);
  }

  isFree(row: KeptRow): boolean {
    return this.#transaction.isFree(`${this.#table.name} ${this.#keyOf(row)}`);
  }

  async add(rows: readonly KeptRow[], signal: AbortSignal | undefined): Promise<KeptRow[]> {
    const { name } = this.#table;
    const last = this.#data.numbers.get(name) ?? 0;
    const all = isNumbered(this.#table) ? numberedRows(this.#table, rows, last) : rows;
    this.#data.numbers.set(name, last + rows.length);
    const added: KeptRow[] = [];
    let seen: unknown;
    let values = new Set<string>();
    for (const row of all) {
      const sets = this.#uniqueSets(row);
      await this.hold(row, signal);
      await this.#holdAll(sets, signal);
      if ((await this.at(row)) !== undefined) continue;
      // To look through all rows for each of many would take long; others may have changed some since.
      if (sets.length > 0 && seen !== this.#transaction.state(name)) values = this.#uniqueValues();
      if (sets.some((set) => values.has(set))) continue;
      this.#transaction.set(name, this.#keyOf(row), row);
      for (const set of sets) values.add(set);
      if (sets.length > 0) seen = this.#transaction.state(name);
      added.push(row);
    }
    return this.#shuffled(added);
  }

  async replace(
    before: KeptRow | undefined,
    after: KeptRow | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const [old, fresh] = [before, after].map((row) => (row ? this.#uniqueSets(row) : [])) as [string[], string[]];
    const given = fresh.filter((set) => !old.includes(set));
    // A caller that adds a value that is being removed waits to learn whether it is free.
    await this.#holdAll([...old.filter((set) => !fresh.includes(set)), ...given], signal);
    if (this.#isTaken(given)) throw taken(this.#table);
    this.#transaction.set(this.#table.name, this.#keyOf((after ?? before) as KeptRow), after);
  }

  #keyOf(row: KeptRow): string {
    return textOfColumns(row, this.#table.key);
  }

  async #holdAll(sets: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    for (const set of sets) await this.#transaction.hold(`${this.#table.name} ${set}`, signal);
  }

  /** Whether a row has one of these unique values. */
  #isTaken(sets: readonly string[]): boolean {
    if (sets.length === 0) return false;
    const values = this.#uniqueValues();
    return sets.some((set) => values.has(set));
  }

  #uniqueValues(): Set<string> {
    const values = new Set<string>();
    for (const row of this.#transaction.rows(this.#table.name).values()) {
      for (const set of this.#uniqueSets(row)) values.add(set);
    }
    return values;
  }

  /** The unique sets that a row has all columns of, each with its values, as texts. */
  #uniqueSets(row: KeptRow): string[] {
    return (this.#table.unique ?? [])
      .filter((set) => set.every((each) => row[each] !== undefined))
      .map((columns) => `${columns} ${textOfColumns(row, columns)}`);
  }

  #shuffled(rows: readonly KeptRow[]): KeptRow[] {
    const places = rows.map((row) => [this.#data.random() ?? 0, row] as const);
    return places.sort(([one], [other]) => one - other).map(([, row]) => row);
  }
}

/** The values of some columns as one text. */
function textOfColumns(row: KeptRow, columns: readonly string[]): string {
  return JSON.stringify(columns.map((column) => row[column]));
}
