/** The `Database` inside a transaction or snapshot: everything runs on its connection. */
import type { Knex } from 'knex';
import { Fault, type StorageLog } from '../../core/storage.js';
import type { Database, Engine, Scalar } from './binding.js';
import type { Connection, Driver, TransactionKind } from './driver.js';
import type { Series } from './series.js';
import { refuseUnstorable } from './values.js';

export interface Scope {
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
