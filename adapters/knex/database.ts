/** The `Database` that bindings see outside a transaction, and how transactions and snapshots begin and end. */
import type { Knex } from 'knex';
import { Fault, isFault, type StorageLog } from '../../core/storage.js';
import type { Database, Engine, Scalar } from './binding.js';
import {
  type CommitPosition,
  type Connection,
  type Driver,
  discard,
  type Lineage,
  onConnection,
  type ReadServer,
  type TransactionKind,
} from './driver.js';
import { refuseUnstorable } from './rows.js';
import { ScopedDatabase, Series, translated } from './scoped.js';

/** Counts running work, so that closing can wait for it and refuse new work. */
export class Activity {
  #running = 0;
  #closed = false;
  #idle: () => void = () => {};
  readonly #lineage: Lineage | undefined;

  /** Work fails if the data is replaced before it or meanwhile: its result would be of the former data. */
  constructor(lineage?: Lineage) {
    this.#lineage = lineage;
  }

  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#lineage?.confirm();
    return this.duringRead(work);
  }

  /** The same for work that changes nothing: to find out afterwards is enough. */
  async duringRead<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#closed) throw new Fault('unavailable', 'The storage is closed');
    this.#running++;
    try {
      const result = await work();
      this.#lineage?.confirm();
      return result;
    } finally {
      this.#running--;
      if (this.#running === 0) this.#idle();
    }
  }

  /** Refuses new work and resolves once none is running. To be called once. */
  async end(): Promise<void> {
    this.#closed = true;
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
  }
}

/** Outside any transaction. */
export class RootDatabase implements Database {
  readonly read: Knex;
  readonly write: Knex;
  readonly engine: Engine;
  readonly log: StorageLog;
  readonly #driver: Driver;
  readonly #activity: Activity;
  readonly #signal: AbortSignal | undefined;

  constructor(driver: Driver, log: StorageLog, activity: Activity, signal?: AbortSignal) {
    this.read = driver.read;
    this.write = driver.write;
    this.engine = driver.engine;
    this.log = log;
    this.#driver = driver;
    this.#activity = activity;
    this.#signal = signal;
  }

  until(signal: AbortSignal | undefined): Database {
    return signal === undefined ? this : new RootDatabase(this.#driver, this.log, this.#activity, signal);
  }

  query<Row>(sql: string, bindings: readonly Scalar[]): Promise<Row[]> {
    return this.#activity.duringRead(() =>
      translated(this.engine, () => {
        refuseUnstorable(bindings);
        return this.#driver.reading((connection) => this.#driver.fetch<Row>(connection, sql, bindings, this.#signal));
      }),
    );
  }

  queryLatest<Row>(sql: string, bindings: readonly Scalar[]): Promise<Row[]> {
    const { latest, fetch } = this.#driver;
    return this.#activity.duringRead(() =>
      translated(this.engine, () => {
        refuseUnstorable(bindings);
        return onConnection(latest, (connection) => fetch<Row>(connection, sql, bindings, this.#signal));
      }),
    );
  }

  later(sql: string, bindings: readonly Scalar[]): Promise<void> {
    return this.transaction((inside) => inside.later(sql, bindings));
  }

  onCommit(): void {
    throw new Fault('internal', 'There is no open transaction whose commit could be waited for');
  }

  snapshot<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    return this.scoped('snapshot', (database) => translated(database.engine, () => work(database)));
  }

  transaction<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    return this.scoped('write', (database) => translated(this.engine, () => work(database)));
  }

  run<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    // Work that has begun may go on, with further queries, while closing waits for it.
    const inside = new RootDatabase(this.#driver, this.log, new Activity());
    return workSeen(
      this.#driver,
      this.#activity.during(() => translated(this.engine, () => work(inside))),
    );
  }

  /** Runs work in a transaction. Errors of the work itself are rethrown unchanged. */
  async scoped<Result>(kind: TransactionKind, work: (database: Database) => Promise<Result>): Promise<Result> {
    const driver = this.#driver;
    const signal = kind === 'snapshot' ? this.#signal : undefined;
    let position: CommitPosition | undefined;
    const onOne =
      kind === 'write'
        ? (inside: (connection: Connection, server?: ReadServer) => Promise<Result>) =>
            workSeen(driver, this.#onWriter(inside), () => position)
        : driver.reading;
    return this.#activity
      .during(() =>
        onOne(async (connection, server) => {
          const engine = server?.engine ?? this.engine;
          signal?.throwIfAborted();
          const series = new Series(driver, connection, kind);
          try {
            await series.begin();
          } catch (error) {
            // The transaction may have begun all the same: the connection must not be used again.
            discard(connection, error);
            throw error;
          }
          server?.once();
          const database = new ScopedDatabase({ driver, engine, log: this.log, connection, kind, series, signal });
          let failed: { reason: unknown } | undefined;
          let result: Result | undefined;
          try {
            result = await work(database);
          } catch (reason) {
            failed = { reason };
          } finally {
            database.end();
          }
          if (!failed) {
            try {
              position = await series.commit();
            } catch (error) {
              // A cancellation may come too late for its statement, and meet the commit.
              failed = { reason: signal?.aborted ? signal.reason : engine.translate(error) };
            }
          }
          if (!failed) {
            database.committed();
            return result as Result;
          }
          await this.#rollback(connection);
          throw new ThrownError(failed.reason);
        }),
      )
      .catch((error: unknown) => {
        throw error instanceof ThrownError ? error.reason : driver.engine.translate(error);
      });
  }

  /** A connection that was lost before the transaction began did nothing: another is taken, once. */
  async #onWriter<Result>(inside: (connection: Connection, server?: ReadServer) => Promise<Result>): Promise<Result> {
    const { write } = this;
    let begun = false;
    const once = () => {
      begun = true;
    };
    const attempt = () => onConnection(write, (connection) => inside(connection, { engine: this.engine, once }));
    try {
      return await attempt();
    } catch (error) {
      if (begun || this.#driver.isLost?.(error) !== true) throw error;
      return attempt();
    }
  }

  /** If the rollback fails too, the connection is discarded, and the engine drops the transaction with it. */
  async #rollback(connection: Connection): Promise<void> {
    try {
      await this.#driver.rollback(connection);
    } catch (error) {
      discard(connection, error);
      this.log.warn({ error: this.engine.translate(error).message }, 'a transaction could not be rolled back');
    }
  }
}

/** Carries an error of the work past the translation of the driver's errors. */
class ThrownError {
  readonly reason: unknown;
  constructor(reason: unknown) {
    this.reason = reason;
  }
}

/** Tells the driver that work on its connections is over, unless the server was lost: then the work saw nothing. */
async function workSeen<Result>(
  driver: Driver,
  work: Promise<Result>,
  position?: () => CommitPosition | undefined,
): Promise<Result> {
  try {
    const result = await work;
    driver.touched?.(position?.());
    return result;
  } catch (error) {
    const reason = driver.engine.translate(error instanceof ThrownError ? error.reason : error);
    if (!isFault(reason) || reason.code !== 'unavailable') driver.touched?.();
    throw error;
  }
}
