/** The `Database` that bindings see: at the root, and inside a transaction or snapshot. */
import type { Knex } from 'knex';
import { Fault, type StorageLog } from '../../core/storage.js';
import type { Database, Engine, Scalar } from './binding.js';
import { type Connection, type Driver, discard, onConnection, type TransactionKind } from './driver.js';
import { refuseUnstorable } from './values.js';

/** Counts what is under way, so that closing can wait for it and refuse what comes after. */
export class Activity {
  #running = 0;
  #closed = false;
  #idle: () => void = () => {};

  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#closed) throw new Fault('unavailable', 'The storage is closed');
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      if (this.#running === 0) this.#idle();
    }
  }

  /** Refuses new work and resolves once nothing is under way. To be called once. */
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
    return this.#activity.during(() =>
      translated(this.engine, () => {
        refuseUnstorable(bindings);
        return this.#driver.reading((connection) => this.#driver.fetch<Row>(connection, sql, bindings, this.#signal));
      }),
    );
  }

  snapshot<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    return this.scoped('snapshot', (database) => translated(this.engine, () => work(database)));
  }

  transaction<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    return this.scoped('write', (database) => translated(this.engine, () => work(database)));
  }

  run<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    // What was let in may go on while closing waits for it, further queries included.
    const inside = new RootDatabase(this.#driver, this.log, new Activity());
    return this.#activity
      .during(() => translated(this.engine, () => work(inside)))
      .finally(() => this.#driver.touched?.());
  }

  /** Runs work in a transaction. Errors of the work itself are thrown on as they are. */
  async scoped<Result>(kind: TransactionKind, work: (database: Database) => Promise<Result>): Promise<Result> {
    const driver = this.#driver;
    const signal = kind === 'snapshot' ? this.#signal : undefined;
    const onOne =
      kind === 'write'
        ? (inside: (connection: Connection) => Promise<Result>) =>
            onConnection(this.write, inside).finally(() => driver.touched?.())
        : (inside: (connection: Connection) => Promise<Result>) => driver.reading(inside);
    return this.#activity
      .during(() =>
        onOne(async (connection) => {
          signal?.throwIfAborted();
          await driver.begin(connection, kind);
          const database = new ScopedDatabase(driver, this.log, connection, kind, signal);
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
              await driver.commit(connection);
              return result as Result;
            } catch (error) {
              failed = { reason: driver.engine.translate(error) };
            }
          }
          await this.#rollback(connection);
          throw new Thrown(failed.reason);
        }),
      )
      .catch((error: unknown) => {
        throw error instanceof Thrown ? error.reason : driver.engine.translate(error);
      });
  }

  /** Where even this fails the connection is given up, and the engine forgets the transaction with it. */
  async #rollback(connection: Connection): Promise<void> {
    try {
      await this.#driver.rollback(connection);
    } catch (error) {
      discard(connection, error);
      this.log.warn({ error: this.engine.translate(error).message }, 'a transaction could not be rolled back');
    }
  }
}

/** Carries what the work of a transaction threw past the translation of the driver's own errors. */
class Thrown {
  readonly reason: unknown;
  constructor(reason: unknown) {
    this.reason = reason;
  }
}

/** Inside a transaction or snapshot: everything runs on its connection. */
class ScopedDatabase implements Database {
  readonly read: Knex;
  readonly write: Knex;
  readonly engine: Engine;
  readonly log: StorageLog;
  readonly #driver: Driver;
  readonly #connection: Connection;
  readonly #kind: TransactionKind;
  readonly #signal: AbortSignal | undefined;
  #over = false;

  constructor(driver: Driver, log: StorageLog, connection: Connection, kind: TransactionKind, signal?: AbortSignal) {
    this.read = this.write = driver.bind(connection, () => this.#over);
    this.engine = driver.engine;
    this.log = log;
    this.#driver = driver;
    this.#connection = connection;
    this.#kind = kind;
    this.#signal = signal;
  }

  until(): Database {
    return this;
  }

  /** From now on, nothing that still holds this database reaches the connection. */
  end(): void {
    this.#over = true;
  }

  query<Row>(sql: string, bindings: readonly Scalar[]): Promise<Row[]> {
    return translated(this.engine, async () => {
      if (this.#over) throw new Fault('internal', 'The transaction is over: its scope may not be used any more');
      refuseUnstorable(bindings);
      return this.#driver.fetch<Row>(this.#connection, sql, bindings, this.#signal);
    });
  }

  snapshot<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    return this.run(work);
  }

  async transaction<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    if (this.#kind === 'snapshot')
      throw new Fault('internal', 'A snapshot reads only: there can be no transaction in it');
    return this.run(work);
  }

  run<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    return translated(this.engine, () => work(this));
  }
}

async function translated<Result>(engine: Engine, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw engine.translate(error);
  }
}
