/**
 * Door 2: everything that the author of a storage adapter needs. It knows no HTTP and no engine.
 *
 * A plugin states what it stores as a *contract*: a token typed with a repository interface of domain verbs.
 * An *adapter* opens a *storage* that answers `repository(contract)` for the contracts it was asked for.
 */
import type { Contract } from './contract.js';
import { Fault } from './fault.js';
import type { StandardSchema } from './schema.js';

// The contracts that every storage keeps, whatever is enabled.
export { type ApiToken, type TokenRepository, tokens } from './auth/contract.js';
export { type Contract, defineContract, type ReadOptions } from './contract.js';
export { Fault, type FaultCode, type FaultOptions, type FieldFault, isFault } from './fault.js';
export {
  type Claim,
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
export type { MakeHome, TestHome } from './testing/home.js';

/**
 * The fault for an engine that cannot be used just now. The message is for operators and says which file or host is
 * meant; clients learn only what `told` says, and that they may try again after 30 seconds.
 */
export function outage(message: string, cause?: unknown, told = 'The storage does not answer at the moment'): Fault {
  const options = { public: told, headers: { 'Retry-After': '30' } };
  return new Fault('unavailable', message, cause === undefined ? options : { ...options, cause });
}

/** What an engine can do. Absent means the modest answer. A capability may change speed, never results. */
export interface Capabilities {
  /** What was acknowledged survives a crash of the process. */
  readonly durable?: boolean;
  /** Several processes may write at once. */
  readonly concurrentWriters?: boolean;
  /** Large results and imports flow in constant memory. */
  readonly streams?: boolean;
}

/** `outage`, for an engine that can be read but takes no writes: its disk is full, or it is read-only. */
export function unwritable(message: string, cause?: unknown): Fault {
  return outage(message, cause, 'The storage takes no changes at the moment');
}

/** A row that cannot be read. It is left out of what repositories return; everything else goes on without it. */
export interface Damage {
  contract: string;
  table: string;
  /** Names the row without what it holds: `number 12`. */
  row: string;
}

/** One step of a contract's schema history. */
export interface Migration {
  /** The contract that the step belongs to, for example `beacon@1`. */
  readonly contract: string;
  /** The step's name, ordered within its contract, for example `001-alleles`. */
  readonly name: string;
}

/** Something that going back to an earlier schema takes away. */
export interface Loss {
  readonly table: string;
  /** The column that is dropped; omitted if the table is, or if only rows are. */
  readonly column?: string;
  /** Rows that are lost, or that have a value in the column. */
  readonly rows: number;
  /** Rows that the table keeps, if it stays. */
  readonly kept?: number;
}

/** A way back to an earlier schema. */
export interface Downgrade {
  /** The steps that are undone, in that order: the newest first. */
  readonly undone: readonly Migration[];
  readonly lost: readonly Loss[];
}

/** A number that an engine tells of itself: `trefoil_storage_<name>` in `/-/metrics`. */
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
   * Runs `work` so that all its writes are seen together or not at all. Only the scope handed in may be used inside.
   * Where `work` throws, nothing is written and the error is thrown on.
   */
  transaction<Result>(work: (scope: StorageScope) => Promise<Result>): Promise<Result>;
  /** The migrations that have not run yet, in the order in which they would. */
  pending(): Promise<Migration[]>;
  /** Runs what is pending and answers what it ran. Safe when several processes do it at once. */
  migrate(): Promise<Migration[]>;
  /**
   * Undoes migrations, all or none: with a version of Trefoil as `to`, those that the version did not have; with a step
   * such as `beacon@1/003-contigs`, those of its contract that came after it. With `trial` nothing is changed and the
   * result is what would be undone and lost. Throws an `invalid` fault, which lists what is accepted, for any other `to`.
   * Omitted if the adapter knows no way back.
   */
  downgrade?(to: string, options: { trial: boolean }): Promise<Downgrade>;
  /** Resolves when the engine answers; otherwise throws an `unavailable` fault. */
  ping(): Promise<void>;
  /** What the engine counts, read at each scrape: the same metrics every time, without waiting for the engine. */
  metrics?(): readonly StorageMetric[];
  /** Resolves once a trial write was committed; otherwise throws the fault that other writes would meet. */
  tryWrite?(): Promise<void>;
  /** Reads everything that repositories parse, and names the rows that are damaged: for operators, and not cheap. */
  damaged?(): Promise<Damage[]>;
  /** Runs the engine's own check of its files, which may take minutes; what is wrong, in sentences. */
  verify?(): Promise<string[]>;
  /**
   * Writes one consistent state of everything to a new file, which this adapter opens again, while others read and
   * write. Only embedded engines have it: servers are copied with their own tools.
   */
  copyTo?(file: string): Promise<void>;
  /**
   * Rewrites the storage's own files, logs included, so that nothing is left in them of what was deleted, while others
   * read. An `unavailable` fault if others kept it from that. Only embedded engines have it: the files of a server are its
   * administrator's.
   */
  purge?(): Promise<void>;
  /** Waits for what is under way, then lets go of every connection and file. May be called twice. */
  close(): Promise<void>;
}

/** The smallest logger that an adapter may ask for; pino fits it. No bound value, token or patient datum goes in. */
export interface StorageLog {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** What an adapter is given to open a storage. */
export interface OpenRequest<Settings> {
  /** The adapter's own settings, already validated by its schema. */
  settings: Settings;
  /** The contracts to fulfil: the core's own and those of the enabled plugins. */
  contracts: readonly Contract[];
  /**
   * Bindings that plugins bring for the adapter's family, by contract id. A binding's shape belongs to the family
   * (`adapters/knex/binding.ts` for `knex`). An adapter looks here first, then among its own.
   */
  bindings: ReadonlyMap<string, () => Promise<unknown>>;
  log: StorageLog;
}

/**
 * How an adapter hears from environment variables. A built-in adapter keeps this as the constant `environment` in
 * `environment.ts` beside its `adapter.ts`: a module without imports, so that choosing an engine loads none.
 */
export interface AdapterEnvironment {
  /**
   * Variable → the setting's path in the adapter's settings (`port`, `pool.max`). Variables win over files; of several
   * variables for one setting, the first that is set wins.
   */
  readonly variables: Readonly<Record<string, string>>;
  /** Variables that choose this adapter when they are set, as long as no chosen file names an adapter. */
  readonly chosenBy?: readonly string[];
}

/** A storage engine. */
export interface Adapter<Settings = unknown> {
  readonly name: string;
  /** Adapters of one family take the same bindings. */
  readonly family?: string;
  readonly capabilities: Capabilities;
  /** Validates the `storage` section of the configuration, less its `adapter` key. */
  readonly settings: StandardSchema<Settings>;
  /**
   * Whether `migrate: auto` is the sensible default: true for an embedded engine, false for a server shared by several
   * processes (the operator runs `trefoil migrate`).
   */
  readonly migratesItself: boolean;
  /** For adapters that do not come with Trefoil; `chosenBy` has no effect here, since a file names them. */
  readonly environment?: AdapterEnvironment;
  /**
   * Sentences about valid settings, or files, that an operator should look at, such as a database file that other users can
   * read. Each begins with the setting: `file: …`. No secret goes in.
   */
  advice?(settings: Settings): Promise<readonly string[]>;
  /** One line for people that says where the data is, without secrets: `SQLite file data/trefoil.sqlite`. */
  describe(settings: Settings): string;
  /**
   * Opens the storage. Throws an `unprocessable` fault that names every contract it cannot fulfil, all at once, and an
   * `unavailable` one when the engine cannot be reached.
   */
  open(request: OpenRequest<Settings>): Promise<Storage>;
}

/** Keeps the type of an adapter's settings while writing it as a plain object. */
export function defineAdapter<Settings>(adapter: Adapter<Settings>): Adapter<Settings> {
  return adapter;
}
