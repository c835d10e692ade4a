/** A case of the kit, and the runner that runs it. */
import type { Capabilities, Contract, Storage } from '../../../core/storage.js';
import type { Opened, Subject } from '../../../core/testing/subject.js';

export type { Opened, Subject };

/** One promise of a contract, and a check whether a storage keeps it. Independent of the test runner. */
export interface Case<Repository = unknown> {
  /** Says what holds, in a few words; unique within its contract. */
  readonly name: string;
  /** The promise in the contract's own words; a failure quotes it. */
  readonly promise: string;
  /** Run only if the adapter declares this capability. There is no other way to skip a case. */
  readonly needs?: keyof Capabilities;
  /** Throws if the promise is broken, usually by `node:assert/strict`. */
  run(context: CaseContext<Repository>): Promise<void>;
}

/** Checks by promise and by name. Those of one promise stand together; the others of a `Case` are written as such. */
export function cases<Repository>(
  checks: Readonly<Record<string, Readonly<Record<string, Case<Repository>['run']>>>>,
): readonly Case<Repository>[] {
  return Object.entries(checks).flatMap(([promise, named]) =>
    Object.entries(named).map(([name, run]) => ({ name, promise, run })),
  );
}

/** What a running case may use. The kit closes every storage opened here. */
export interface CaseContext<Repository> {
  /** A new, empty, migrated storage. */
  readonly storage: Storage;
  /** The repository of the contract under test, outside any transaction. */
  readonly repository: Repository;
  /** As declared by the subject. */
  readonly capabilities: Capabilities;
  /** Seed of the random numbers in property-based cases. */
  readonly seed: number;
  /** Records an input, to be shown if the case fails; a later value of the same name replaces it. */
  given(name: string, value: unknown): void;
  /** Opens another new, empty, migrated storage. */
  open(contracts: readonly Contract[]): Promise<Storage>;
  /** Opens the data of `storage` again. Only for cases that need `durable` or `concurrentWriters`. */
  again(): Promise<Storage>;
}

/** The two functions of a test runner that the kit calls; those of mocha, node:test, vitest and jest fit. */
export interface Runner {
  describe(title: string, body: () => void): unknown;
  it: {
    (title: string, run: () => Promise<void>): unknown;
    /** If present, cases that do not apply are reported as skipped. */
    skip?: (title: string, run: () => Promise<void>) => unknown;
  };
}

export interface RunOptions {
  /** Seed of the random numbers in property-based cases; 1 if omitted, so that a run can be repeated. */
  seed?: number;
}
