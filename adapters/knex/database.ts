/**
 * The `Database` that bindings see: outside a transaction, and inside a transaction or snapshot, where everything runs on one
 * connection, in order, and some statements wait for those that follow.
 */
import type { Knex } from 'knex';
import { Fault, isFault, type StorageLog, withConnection } from '../../core/storage.js';
import type { Database, Engine, Scalar, Statement } from './binding.js';
import {
  type CommitPosition,
  type Connection,
  type Driver,
  discard,
  type Lineage,
  onConnection,
  type ReadServer,
  type Script,
  type TransactionKind,
} from './driver.js';
import { refuseUnstorable } from './rows.js';

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
    return this.#counted(work, () => this.#lineage?.confirm());
  }

  /** The same for work that changes nothing: to find out afterwards is enough. */
  duringRead<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#counted(work, () => this.#lineage?.confirmRead());
  }

  async #counted<Result>(work: () => Promise<Result>, confirm: () => void): Promise<Result> {
    if (this.#closed) throw new Fault('unavailable', 'The storage is closed');
    this.#running++;
    try {
      const result = await work();
      confirm();
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
    // Work that has begun may continue, with further queries, while closing waits for it.
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
            result = await withConnection(() => work(database));
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

/** Notifies the driver that work on its connections is over, unless the server was lost: then the work saw nothing. */
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

// The `Database` inside a transaction or snapshot: everything runs on its connection, in order; some statements wait, to be run
// together with those that follow.

interface Scope {
  driver: Driver;
  engine: Engine;
  log: StorageLog;
  connection: Connection;
  kind: TransactionKind;
  series: Series;
  signal: AbortSignal | undefined;
}

class ScopedDatabase implements Database {
  readonly engine: Engine;
  readonly log: StorageLog;
  readonly #scope: Scope;
  #knex: Knex | undefined;
  #over = false;
  readonly #atCommit: (() => void)[] = [];

  constructor(scope: Scope) {
    this.engine = scope.engine;
    this.log = scope.log;
    this.#scope = scope;
  }

  until(): Database {
    return this;
  }

  get read(): Knex {
    return this.write;
  }

  /** Bound at the first use: many snapshots run fixed statements only, and binding takes longer than one of them. */
  get write(): Knex {
    const { driver, connection } = this.#scope;
    this.#knex ??= driver.bind(connection, () => this.#ready());
    return this.#knex;
  }

  /** From now on this database refuses to use the connection. */
  end(): void {
    this.#over = true;
  }

  /** To be called once the transaction is committed. */
  committed(): void {
    for (const done of this.#atCommit) done();
  }

  query<Row>(sql: string, bindings: readonly Scalar[]): Promise<Row[]> {
    const { driver, connection, signal } = this.#scope;
    return translated(this.engine, async () => {
      await this.#ready();
      refuseUnstorable(bindings);
      return driver.fetch<Row>(connection, sql, bindings, signal);
    });
  }

  queryLatest<Row>(sql: string, bindings: readonly Scalar[]): Promise<Row[]> {
    return this.query(sql, bindings);
  }

  async later(sql: string, bindings: readonly Scalar[]): Promise<void> {
    await translated(this.engine, async () => {
      this.#refuseIfOver();
      refuseUnstorable(bindings);
      if (!(await this.#scope.series.later({ sql, bindings }))) await this.query(sql, bindings);
    });
  }

  onCommit(done: () => void): void {
    this.#atCommit.push(done);
  }

  snapshot<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    return this.run(work);
  }

  async transaction<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    if (this.#scope.kind === 'snapshot')
      throw new Fault('internal', 'A snapshot is read-only: no transaction can begin in it');
    return this.run(work);
  }

  run<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
    return translated(this.engine, () => work(this));
  }

  /** Resolves once the statements before are run. */
  async #ready(): Promise<void> {
    this.#refuseIfOver();
    await this.#scope.series.ready();
  }

  #refuseIfOver(): void {
    if (this.#over) throw new Fault('internal', 'The transaction is over: its scope may not be used any more');
  }
}

async function translated<Result>(engine: Engine, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw engine.translate(error);
  }
}

// The statements of one transaction or snapshot, in order: some wait, to be run together with those that follow.

/** Characters of the waiting values after which they are run. */
const mostWaiting = 1_000_000;

class Series {
  readonly #driver: Driver;
  readonly #connection: Connection;
  readonly #kind: TransactionKind;
  readonly #script: Script | undefined;
  #waiting: Statement[] = [];
  #length = 0;
  /** What was sent so far. After an error, everything that follows fails with it. */
  #sent: Promise<void> = Promise.resolve();

  constructor(driver: Driver, connection: Connection, kind: TransactionKind) {
    this.#driver = driver;
    this.#connection = connection;
    this.#kind = kind;
    // A snapshot has nothing to wait for: its statements return rows.
    this.#script = kind === 'write' ? driver.script : undefined;
  }

  /** At once, also if no statement follows: the work may rely on the lock. */
  begin(): Promise<void> {
    return this.#driver.begin(this.#connection, this.#kind);
  }

  /** Returns false if the statement cannot wait: then it is to be run by itself, once `ready` has resolved. */
  async later(statement: Statement): Promise<boolean> {
    if (this.#script?.canWrite(statement.bindings) !== true) return false;
    this.#waiting.push(statement);
    for (const value of statement.bindings) if (typeof value === 'string') this.#length += value.length;
    if (this.#length > mostWaiting) await this.ready();
    return true;
  }

  /** Resolves once nothing waits. */
  ready(): Promise<void> {
    const [script, some] = [this.#script, this.#waiting];
    if (script !== undefined && some.length > 0) {
      this.#waiting = [];
      this.#length = 0;
      this.#sent = this.#sent.then(() => script.run(this.#connection, some));
    }
    return this.#sent;
  }

  async commit(): Promise<CommitPosition | undefined> {
    const script = this.#script;
    if (script === undefined) return this.#driver.commit(this.#connection, this.#kind);
    this.#waiting.push(script.commit);
    await this.ready();
    return undefined;
  }
}
