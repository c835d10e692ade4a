/**
 * Door 2: everything that the author of a storage adapter needs. It depends on neither HTTP nor an engine.
 *
 * A plugin declares what it stores as a *contract*: a token typed with a repository interface of domain verbs.
 * An *adapter* opens a *storage*, which returns `repository(contract)` for the contracts named at opening.
 */
import type { Contract } from './contract.js';
import { Fault } from './fault.js';
import type { StandardSchema } from './schema.js';
import type { StoreLoaders } from './stores.js';

export {
  type AuditChain,
  type AuditCursor,
  type AuditRepository,
  type AuditSelection,
  audit,
  type ChainedEntry,
  type Latest,
  type LinkedEntry,
  type PendingEvent,
  type Person,
  type SealedLink,
} from './audit/contract.js';
// Contracts of the core. Every storage has tokens@1 and jobs@1; the others if the configuration asks for them.
// Only storages of servers at which people sign in have this one.
export {
  type ApiToken,
  type Session,
  type SessionRepository,
  sessions,
  type TokenRepository,
  tokens,
} from './auth/contract.js';
export { type Contract, completed, defineContract, type ReadOptions, refuseLacking, type Verbs } from './contract.js';
export { type ErasureMemory, erasures } from './erasures/contract.js';
export { Fault, type FaultCode, type FaultOptions, type FieldFault, isFault } from './fault.js';
export { gather, grouped, oneByOne } from './gather.js';
export {
  type Claim,
  endedStates,
  type Job,
  type JobRepository,
  type JobSelection,
  type JobState,
  type Json,
  jobStates,
  jobs,
  type NewJob,
} from './jobs/contract.js';
export type { StandardSchema } from './schema.js';
export { step } from './step.js';
export { type StoreLoaders, stepsAfter, storeOf, storesOf } from './stores.js';
// For adapters that implement tables: all operations above rows, or what these check alike.
export {
  type CandidateRows as Candidates,
  damageLog,
  type KeptRows,
  type RowKeeper,
  type Selection,
  tablesAbove,
} from './table/above-rows.js';
export {
  boolean,
  bytes,
  type Column,
  type ColumnKind,
  type ColumnOwner,
  double,
  generated,
  integer,
  json,
  type NewRowOf,
  optional,
  person,
  type RowOf,
  short,
  small,
  text,
  time,
  user,
} from './table/columns.js';
export {
  absent,
  type Changes,
  type Condition,
  type Conditions,
  type Cursor,
  defineStore,
  defineTable,
  largestValue,
  type Page,
  type PageQuery,
  type Query,
  type Reading,
  type Store,
  type StoreStep,
  type Table,
  type TableDeclaration,
  type Tables,
  type TypedTable,
  type Where,
} from './table.js';
export {
  type Change,
  changedRow,
  changesOf,
  compareKept,
  firstRows,
  fulfils,
  isNumbered,
  type Kept,
  type KeptRow,
  keptCursor,
  keptRow,
  keptRows,
  keptValue,
  mergedRow,
  numberedRows,
  pageOf,
  refuseUnstorableText,
  rowOfKept,
  rowOrder,
  rowsOfPages,
  sortableText,
  type Test,
  type Tests,
  taken,
  testsOf,
  totalOrder,
} from './table-values.js';
export { jsonOf, placeOf } from './text.js';

// For adapters that let some work wait.
export { type ClassedWork, classedWork, inClass, type WorkClass, withConnection } from './work.js';

/**
 * Returns the fault for an engine that cannot be used at the moment. `message` is for operators and names the file or
 * host; clients see only `forClients`, and that they may try again after 30 seconds.
 */
export function outage(
  message: string,
  cause?: unknown,
  forClients = 'The storage does not answer at the moment',
): Fault {
  const options = { public: forClients, headers: { 'Retry-After': '30' } };
  return new Fault('unavailable', message, cause === undefined ? options : { ...options, cause });
}

/** What an engine can do; false if omitted. A capability may change speed, never results. */
export interface Capabilities {
  /** Acknowledged writes survive a crash of the process. */
  readonly durable?: boolean;
  /** Several processes may write concurrently. */
  readonly concurrentWriters?: boolean;
  /** Large results and imports take constant memory. */
  readonly streams?: boolean;
}

/** `outage`, for an engine that can be read but not written: its disk is full, or it is read-only. */
export function unwritable(message: string, cause?: unknown): Fault {
  return outage(message, cause, 'The storage takes no changes at the moment');
}

/** A row that cannot be read. Repositories omit it from their results and return everything else. */
export interface Damage {
  contract: string;
  table: string;
  /** Identifies the row without its contents: `number 12`. */
  row: string;
}

/** One step of a contract's schema history. */
export interface Migration {
  /** The contract that the step belongs to, for example `beacon@1`. */
  readonly contract: string;
  /** The step's name, ordered within its contract, for example `001-alleles`. */
  readonly name: string;
}

/** Data that a downgrade to an earlier schema removes. */
export interface Loss {
  readonly table: string;
  /** The column that is dropped; omitted if the table is, or if only rows are. */
  readonly column?: string;
  /** Rows that are lost, or that have a value in the column. */
  readonly rows: number;
  /** Rows that the table keeps, if it stays. */
  readonly kept?: number;
}

/** A downgrade to an earlier schema. */
export interface Downgrade {
  /** The steps that are undone, newest first. */
  readonly undone: readonly Migration[];
  readonly lost: readonly Loss[];
}

/** A number that an engine reports about itself: `trefoil_storage_<name>` in `/-/metrics`. */
export interface StorageMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly labels: readonly string[];
  /** Values of labels are few and hold no secret. */
  readonly values: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

/** The part of a storage that may be used inside a transaction. */
export interface StorageScope {
  /** The repository for a contract that was named at opening; throws an `internal` fault for any other. */
  repository<Repository>(contract: Contract<Repository>): Repository;
}

/** An open storage. */
export interface Storage extends StorageScope {
  readonly capabilities: Capabilities;
  /**
   * Runs `work` so that all its writes become visible together or not at all. `work` may use only the scope it gets.
   * If `work` throws, nothing is written and the error is rethrown.
   */
  transaction<Result>(work: (scope: StorageScope) => Promise<Result>): Promise<Result>;
  /** Returns the migrations that have not run yet, in the order in which they would run. */
  pending(): Promise<Migration[]>;
  /** Runs the pending migrations and returns them. Several processes may safely do so concurrently. */
  migrate(): Promise<Migration[]>;
  /**
   * Undoes migrations, all or none: with a version of Trefoil as `to`, those that the version did not have; with a step
   * such as `beacon@1/010-shared-batches`, those of its contract that came after it. With `trial` nothing changes and the
   * result is what would be undone and lost. Throws an `invalid` fault, which lists what is accepted, for any other `to`.
   * Omitted if the adapter cannot downgrade.
   */
  downgrade?(to: string, options: { trial: boolean }): Promise<Downgrade>;
  /**
   * Resolves once, with the reason, if the stored data was replaced while this storage was open: by a restored backup, or by
   * other data at the same address. From then on all work is refused with an `unavailable` fault, so that nothing of the
   * former data is returned, and nothing is written because of it: close this storage and open another. Omitted if the
   * data cannot be replaced.
   */
  readonly replaced?: Promise<string>;
  /** Resolves if the engine responds; otherwise throws an `unavailable` fault. */
  ping(): Promise<void>;
  /**
   * By the name of each further server that holds a part of the data, whether it answers. What needs no such part works
   * without it.
   */
  parts?(): Promise<ReadonlyMap<string, boolean>>;
  /** Metrics of the engine, read at each scrape: the same ones every time, without waiting for the engine. */
  metrics?(): readonly StorageMetric[];
  /** Resolves once a trial write was committed; otherwise throws the fault that other writes would get. */
  tryWrite?(): Promise<void>;
  /** Reads everything that repositories parse, and returns the damaged rows: for operators, and expensive. */
  damaged?(): Promise<Damage[]>;
  /**
   * Returns the ids of contracts with stored data that were not named at opening: neither served, nor expired, nor erased by
   * this process.
   */
  unclaimed?(): Promise<string[]>;
  /** Runs the engine's own check of its files, which may take minutes; returns the problems as sentences. */
  verify?(): Promise<string[]>;
  /**
   * Writes a consistent copy of everything to a new file, which this adapter can open, while others read and write.
   * Only embedded engines have it: database servers are copied with their own tools. Returns the rows of each table of the
   * copy.
   */
  copyTo?(file: string): Promise<Readonly<Record<string, number>>>;
  /** Returns the rows of each table, which reads all of them. */
  rowCounts?(): Promise<Readonly<Record<string, number>>>;
  /**
   * Rewrites the storage's own files, including logs, so that they contain no deleted data, while others read. Throws
   * an `unavailable` fault if other users of the files prevent it. Only embedded engines have it: administrators manage
   * the files of a database server.
   */
  purge?(): Promise<void>;
  /** Waits for work in progress, then closes every connection and file. May be called twice. */
  close(): Promise<void>;
}

/** The logger that an adapter gets; pino fits it. Never log bound values, tokens or patient data. */
export interface StorageLog {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** What an adapter gets to open a storage. */
export interface OpenRequest<Settings> {
  /** The adapter's own settings, already validated by its schema. */
  settings: Settings;
  /** The contracts to fulfil: the core's own and those of the enabled plugins. */
  contracts: readonly Contract[];
  /**
   * Bindings that plugins provide for the adapter's family, by contract id. A binding's shape belongs to the family
   * (`adapters/knex/binding.ts` for `knex`). An adapter looks here first, then among its own.
   */
  bindings: ReadonlyMap<string, () => Promise<unknown>>;
  /**
   * Stores that plugins bring, by contract id, for adapters with tables: used for contracts that have no binding. `storeOf` finds
   * them, and the core's own.
   */
  stores?: StoreLoaders;
  log: StorageLog;
}

/**
 * How environment variables configure an adapter. A built-in adapter exports this constant as `environment` from
 * `adapters/<name>/environment.ts`: a module without imports, so that choosing an engine loads no engine.
 */
export interface AdapterEnvironment {
  /**
   * Variable → the setting's path in the adapter's settings (`port`, `pool.max`). Variables win over files; of several
   * variables for one setting, the first that is set wins.
   */
  readonly variables: Readonly<Record<string, string>>;
  /** Variables that choose this adapter if they are set and no chosen file names an adapter. */
  readonly chosenBy?: readonly string[];
}

/** What an adapter gets to restore a backup for a trial. */
export interface TrialRequest<Settings> {
  settings: Settings;
  /** The file or folder of the backup, which is only read. */
  backup: string;
  /** The folder of the archived write-ahead log, if the engine has one. */
  archive: string | undefined;
  /** An empty folder for it, which is removed afterwards. */
  folder: string;
}

/** A restored backup: storage at an address of its own. */
export interface Trial<Settings> {
  settings: Settings;
  /** The latest moment to which it can be restored; omitted for a copy that `Storage.copyTo` wrote. */
  made?: Date;
  /** Stops what was started for it. */
  close(): Promise<void>;
}

/** A storage engine. */
export interface Adapter<Settings = unknown> {
  readonly name: string;
  /** Adapters of one family take the same bindings. */
  readonly family?: string;
  readonly capabilities: Capabilities;
  /** Validates the `storage` section of the configuration, without its `adapter` key. */
  readonly settings: StandardSchema<Settings>;
  /**
   * Whether `migrate: auto` is the sensible default: true for an embedded engine, false for a server shared by several
   * processes (the operator runs `trefoil migrate`).
   */
  readonly migratesItself: boolean;
  /** For adapters that do not come with Trefoil; `chosenBy` has no effect here, since a file names them. */
  readonly environment?: AdapterEnvironment;
  /**
   * Returns sentences about valid settings, or files, that an operator should check, such as a database file that other
   * users can read. Each begins with the setting, `file: …`, and contains no secret.
   */
  advice?(settings: Settings): Promise<readonly string[]>;
  /** The database file of an embedded engine, beside which other files may be kept; undefined if it is in memory. */
  file?(settings: Settings): string | undefined;
  /**
   * Checks each file of a backup (a copy of an embedded engine is checked already) and restores it, away from the configured storage, which it does not touch. Throws an
   * `unprocessable` fault whose message continues the sentence "The backup … cannot be relied on:".
   */
  tryBackup?(request: TrialRequest<Settings>): Promise<Trial<Settings>>;
  /** Returns one line for people that says where the data is, without secrets: `SQLite file data/trefoil.sqlite`. */
  describe(settings: Settings): string;
  /**
   * Opens the storage. Throws an `unprocessable` fault that names all contracts it cannot fulfil, and an `unavailable`
   * fault if the engine cannot be reached.
   */
  open(request: OpenRequest<Settings>): Promise<Storage>;
}

/** Keeps the type of an adapter's settings while writing it as a plain object. */
export function defineAdapter<Settings>(adapter: Adapter<Settings>): Adapter<Settings> {
  return adapter;
}

/** A new, empty place for data. */
export interface TestHome {
  /** Settings of the adapter for this place. */
  settings: Record<string, unknown>;
  /** Removes the place and all data in it. */
  discard(): Promise<void>;
}

/** `url`: the server on which to make the place, for an adapter that needs one. Throws an `invalid` fault without it. */
export type MakeHome = (options: { url?: string | undefined }) => Promise<TestHome>;
