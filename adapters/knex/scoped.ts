/**
 * The `Database` inside a transaction or snapshot: everything runs on its connection, in order; some statements wait, to be run
 * together with those that follow.
 */
import type { Knex } from 'knex';
import { Fault, type StorageLog } from '../../core/storage.js';
import type { Database, Engine, Scalar, Statement } from './binding.js';
import type { CommitPosition, Connection, Driver, Script, TransactionKind } from './driver.js';
import { refuseUnstorable } from './rows.js';

interface Scope {
  driver: Driver;
  engine: Engine;
  log: StorageLog;
  connection: Connection;
  kind: TransactionKind;
  series: Series;
  signal: AbortSignal | undefined;
}

export class ScopedDatabase implements Database {
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

export async function translated<Result>(engine: Engine, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw engine.translate(error);
  }
}

// The statements of one transaction or snapshot, in order: some wait, to be run together with those that follow.

/** Characters of the waiting values after which they are run. */
const mostWaiting = 1_000_000;

export class Series {
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
