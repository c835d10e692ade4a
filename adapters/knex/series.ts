/** The statements of one transaction or snapshot, in order: some wait, to be run together with those that follow. */
import type { Statement } from './binding.js';
import type { CommitPosition, Connection, Driver, Script, TransactionKind } from './driver.js';

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
