/**
 * Rows that are stored under the number of a new set while no query sees them, then published at once in the place of those of
 * another set, and swept when they are not used any more. A set is staged → published → dropped, or staged → dropped.
 */
import { Fault } from '../../core/storage.js';
import type { Database, Scalar } from './binding.js';

/** Milliseconds between signs of life. */
const beatMs = 10_000;
/** Rows deleted in one transaction: other writers can write in between. */
const sweptRows = 20_000;

interface StagedSetOptions<Row> {
  readonly table: string;
  /** The columns with the number of a set, and with when a staged one gave its last sign of life, or another one got its state. */
  readonly number: string;
  readonly sign: string;
  /** No reader continues with a set that was replaced: it can be freed at once. */
  readonly atOnce?: boolean;
  /** Deletes a dropped set; returns false if that is left to a later sweep. May be interrupted, or run twice at once. */
  free(database: Database, set: Row): Promise<boolean>;
}

const givenUp = () =>
  new Fault('conflict', 'The load was given up meanwhile: it was idle for too long, or what it is for was removed');

export class StagedSets<Row extends object = object> {
  readonly #table: string;
  readonly #number: string;
  readonly #sign: string;
  readonly #options: StagedSetOptions<Row>;

  constructor(options: StagedSetOptions<Row>) {
    this.#table = options.table;
    this.#number = options.number;
    this.#sign = options.sign;
    this.#options = options;
  }

  /** Begins a set; returns its number. */
  async open(database: Database, columns: object): Promise<number> {
    const set = { ...columns, state: 'staged', [this.#sign]: Date.now() };
    const [row] = await database.run(({ write }) => write(this.#table).insert(set).returning(this.#number));
    return Number(row?.[this.#number]);
  }

  /** A sign of life, before each write. Throws a `conflict` fault if the set is not staged any more. */
  touch(database: Database, set: number): Promise<void> {
    return this.publish(database, set, { state: 'staged' });
  }

  /** Gives signs of life for a staged set until it is closed. `assertAlive` throws what one of them threw. */
  keepAlive(database: Database, set: number): { assertAlive: () => void; close: () => void } {
    let failure: unknown;
    const note = (error: unknown) => {
      failure ??= error;
    };
    const beat = setInterval(() => this.touch(database, set).catch(note), beatMs).unref();
    const assertAlive = () => {
      if (failure) throw failure;
    };
    return { assertAlive, close: () => clearInterval(beat) };
  }

  /**
   * Of two changes of published sets, the other waits until this transaction ends. Throws a `conflict` fault if one of these staged
   * sets was given up: before anything is changed, since the caller's own transaction may continue.
   */
  async lock({ write, engine }: Database, staged: readonly number[] = []): Promise<void> {
    // Always in one order, against deadlocks.
    const query = write(this.#table)
      .select(this.#number)
      .whereIn('state', ['staged', 'published'])
      .orderBy(this.#number);
    const held: { [column: string]: number }[] = await engine.forUpdate(query);
    if (staged.some((set) => held.every((row) => row[this.#number] !== set))) throw givenUp();
  }

  /** Publishes a staged set with these columns; throws as `touch`. */
  async publish(database: Database, set: number, columns: object): Promise<void> {
    const changes = { state: 'published', [this.#sign]: Date.now(), ...columns };
    const staged = { [this.#number]: set, state: 'staged' };
    if ((await database.run(({ write }) => write(this.#table).where(staged).update(changes))) === 0) throw givenUp();
  }

  /** No query sees the published set any more that has these columns; its rows go when it is swept. */
  async drop({ write }: Database, where: object): Promise<void> {
    await write(this.#table)
      .where({ ...where, state: 'published' })
      .update({ state: 'dropped', [this.#sign]: Date.now() });
  }

  /** Abandons a staged set at once. One in any other state stays: if the answer to a commit was lost, it may be published. */
  async discard(database: Database, set: number): Promise<void> {
    const staged = { [this.#number]: set, state: 'staged' };
    const changes = { state: 'dropped', [this.#sign]: Date.now() };
    const dropped: Row[] = await database.run(({ write }) =>
      write(this.#table).where(staged).update(changes).returning('*'),
    );
    for (const row of dropped) await this.#options.free(database, row);
  }

  /** Gives up staged sets without a sign of life since, and frees those that were dropped before then; returns how many. */
  async sweep(database: Database, idleSince: Date): Promise<number> {
    const before = idleSince.getTime();
    await database.run(({ write }) =>
      write(this.#table).where({ state: 'staged' }).andWhere(this.#sign, '<', before).update({ state: 'dropped' }),
    );
    const dropped = await database.query<Row>(
      `select * from ${this.#table} where state = 'dropped' and ${this.#sign} < ? order by ${this.#number}`,
      [this.#options.atOnce ? Number.MAX_SAFE_INTEGER : before],
    );
    let freed = 0;
    for (const row of dropped) if (await this.#options.free(database, row)) freed += 1;
    return freed;
  }
}

/** Deletes the rows for which a condition holds, in the order of a column of whole numbers. */
export async function deleteRows(
  database: Database,
  table: string,
  by: string,
  where: string,
  bindings: readonly Scalar[],
): Promise<void> {
  const within = `${where} and ${by} > ?`;
  const end = `select max(${by}) as last from (select ${by} from ${table} where ${within} order by ${by} limit ${sweptRows}) as swept`;
  for (let first: number | string = -1; ; ) {
    const rows: { last: number | string | null }[] = await database.query(end, [...bindings, first]);
    const last = rows[0]?.last;
    if (last == null) return;
    const portion = [...bindings, first, last];
    await database.run(({ write }) => write(table).whereRaw(`${within} and ${by} <= ?`, portion).delete());
    first = last;
  }
}
