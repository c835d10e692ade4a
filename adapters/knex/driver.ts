/** What an engine of the family gives to the shared code: its connections, and how transactions begin and end on them. */
import type { Knex } from 'knex';
import type { StorageMetric } from '../../core/storage.js';
import type { Engine, Scalar } from './binding.js';

/** A connection of an engine's driver. Only the engine looks inside. */
export type Connection = object;

/** `write` sees the newest state and may change it; `snapshot` reads one state and takes no lock. */
export type TransactionKind = 'write' | 'snapshot';

export interface Driver {
  readonly engine: Engine;
  /** Connections for reading; the same as `write` where the engine does not keep readers apart. */
  readonly read: Knex;
  readonly write: Knex;
  /**
   * Runs a read on a connection that has everything that this process has seen before: one of `read`, or of another
   * server where the engine knows one that is not behind.
   */
  reading<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result>;
  /** Told when work on `read` or `write` is over, where `reading` may go elsewhere. */
  touched?(): void;
  /** A Knex whose statements all run on this connection, and which refuses any once `over` says so. */
  bind(connection: Connection, over: () => boolean): Knex;
  begin(connection: Connection, kind: TransactionKind): Promise<void>;
  /** Rejects unless the transaction was really committed. */
  commit(connection: Connection): Promise<void>;
  rollback(connection: Connection): Promise<void>;
  /**
   * Runs a fixed SELECT as a statement that is prepared once for each connection. The bindings are storable. Aborting
   * the signal has the engine stop, and throws its reason once the connection is free.
   */
  fetch<Row>(connection: Connection, sql: string, bindings: readonly Scalar[], signal?: AbortSignal): Promise<Row[]>;
  /** Every table of ours with the names of its columns; parts of a partitioned table are not tables of their own. */
  tables(on: Knex): Promise<Map<string, string[]>>;
  /** See `Storage.metrics`. */
  metrics(): readonly StorageMetric[];
  /** Within a transaction: waits until no other process changes the schema. */
  lockSchema(on: Knex): Promise<void>;
  ping(): Promise<void>;
  /** See `Storage.verify`. */
  verify(on: Knex): Promise<string[]>;
  /** See `Storage.copyTo`; the file does not exist. */
  copyTo?(file: string): Promise<void>;
  /** See `Storage.purge`. */
  purge?(): Promise<void>;
  /** Lets go of every connection; nothing is under way any more. */
  close(): Promise<void>;
}

/** The part of Knex's client that hands out connections. */
interface ConnectionSource {
  acquireConnection(): Promise<Connection & { __knex__disposed?: unknown }>;
  releaseConnection(connection: Connection): Promise<void>;
}

/** Runs work on one connection of a Knex: in a transaction that is the transaction's own. */
export async function onConnection<Result>(
  knex: Knex,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const source = knex.client as ConnectionSource;
  const connection = await source.acquireConnection();
  try {
    return await work(connection);
  } finally {
    await source.releaseConnection(connection);
  }
}

/** Keeps a connection in an unknown state from being used again: the pool replaces it. */
export function discard(connection: Connection & { __knex__disposed?: unknown }, reason: unknown): void {
  connection.__knex__disposed = reason;
}

/** The `connectionPool` of a Knex that lives on one connection. */
export function soleConnection(connection: Connection, over: () => boolean) {
  return {
    acquire: () => ({
      promise: over()
        ? Promise.reject(new Error('The transaction is over: its scope may not be used any more'))
        : Promise.resolve(connection),
    }),
    release: () => true,
    destroy: async () => {},
    numUsed: () => 1,
    numFree: () => 0,
    numPendingAcquires: () => 0,
  };
}
