/** What a case of the kit is, and what it is run on. */
import type { Capabilities, Contract, Storage } from '../storage.js';

/** One promise of a contract, and how to find out whether a storage keeps it. Knows no test runner. */
export interface Case<Repository = unknown> {
  /** Says what holds, in a few words; unique within its contract. */
  readonly name: string;
  /** The promise in the contract's own words: a failure quotes it. */
  readonly promise: string;
  /** Run only where the adapter declares this capability: the one way in which a case does not apply. */
  readonly needs?: keyof Capabilities;
  /** Throws where the promise is broken; `node:assert/strict` is the usual way. */
  run(context: CaseContext<Repository>): Promise<void>;
}

/** What a running case may use. The kit closes every storage that is opened here. */
export interface CaseContext<Repository> {
  /** A new, empty, migrated storage. */
  readonly storage: Storage;
  /** The repository of the contract under test, outside any transaction. */
  readonly repository: Repository;
  /** As the subject declares them. */
  readonly capabilities: Capabilities;
  /** Starts the random numbers of property-based cases. */
  readonly seed: number;
  /** Notes an input, so that the message of a failure shows it; a later value of the same name replaces it. */
  given(name: string, value: unknown): void;
  /** Opens another new, empty, migrated storage. */
  open(contracts: readonly Contract[]): Promise<Storage>;
  /** Opens the data of `storage` once more. Only for cases that need `durable` or `concurrentWriters`. */
  again(): Promise<Storage>;
}

/** A storage that the author's subject opened for one case. */
export interface Opened {
  readonly storage: Storage;
  /**
   * Opens the same data again, be the first storage closed or not. An adapter that declares `durable` or
   * `concurrentWriters` must offer it.
   */
  again?(): Promise<Storage>;
  /** Called after everything is closed: removes files and databases that were made for this case. */
  discard?(): Promise<void>;
}

/** An adapter under test: all that its author writes. */
export interface Subject {
  /** Heads the report, for example `PostgreSQL`. */
  readonly name: string;
  /** As the adapter declares them. What is declared is tested; what is not declared may not be relied upon. */
  readonly capabilities?: Capabilities;
  /** Opens a new, empty storage for these contracts and runs its migrations. */
  open(contracts: readonly Contract[]): Promise<Opened>;
}

/** The two functions of a test runner that the kit calls: those of mocha, node:test, vitest and jest fit. */
export interface Runner {
  describe(title: string, body: () => void): unknown;
  it: {
    (title: string, run: () => Promise<void>): unknown;
    /** Where there is one, cases that do not apply are reported as skipped. */
    skip?: (title: string, run: () => Promise<void>) => unknown;
  };
}

export interface RunOptions {
  /** Starts the random numbers of property-based cases; 1 where absent, so that a run can be repeated. */
  seed?: number;
}
