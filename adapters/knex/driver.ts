/**
 * What an engine of the family offers to the shared code: connections and the pools that share them out, how transactions begin
 * and end, prepared and stopped statements, and whether the data is still that which was opened.
 */
import type { Knex } from 'knex';
import {
  type ClassedWork,
  classedWork,
  type Fault,
  outage,
  type StorageLog,
  type StorageMetric,
} from '../../core/storage.js';
import type { Engine, Scalar, Statement } from './binding.js';

/** A connection of an engine's driver, opaque outside the engine. */
export type Connection = object;

/** `write` sees the latest state and may change it; `snapshot` reads one state and takes no lock. */
export type TransactionKind = 'write' | 'snapshot';

/** A position in the engine's log, and a time before which it was not asked for (performance.now). */
export interface CommitPosition {
  text: string;
  at: number;
}

/** The server that a read runs on. */
export interface ReadServer {
  /** Its faults name this server. */
  readonly engine: Engine;
  /** To be called before work that must not run twice: from then on a read whose server is lost fails. */
  once(): void;
}

/** Runs statements in order, without their rows, until one fails: the others are not run then. */
export interface Script {
  run(connection: Connection, statements: readonly Statement[]): Promise<void>;
  /** Whether the values survive being written into the text of a statement. */
  canWrite(bindings: readonly Scalar[]): boolean;
  /** What `commit` runs for a transaction that writes. */
  readonly commit: Statement;
}

export interface Driver {
  readonly engine: Engine;
  /** Connections for reading; the same as `write` if the engine does not separate readers. */
  readonly read: Knex;
  readonly write: Knex;
  /** Connections of which a new statement sees everything that any process has committed: `read` or `write`. */
  readonly latest: Knex;
  /**
   * Runs a read on a connection that sees everything this process has seen before: one of `read`, or of another server
   * that the engine knows not to be behind. If that one is lost, the read is repeated on `read`.
   */
  reading<Result>(work: (connection: Connection, server: ReadServer) => Promise<Result>): Promise<Result>;
  /**
   * Called when work on `read` or `write` is over, if `reading` may use another server; with what `commit` returned, if the
   * work was a transaction.
   */
  touched?(position?: CommitPosition): void;
  /** Whether an error says that the connection was lost; if omitted, connections are never lost. */
  isLost?(error: unknown): boolean;
  /** A Knex that runs all statements on this connection, each once `ready` has resolved; it fails as `ready` does. */
  bind(connection: Connection, ready: () => Promise<void>): Knex;
  begin(connection: Connection, kind: TransactionKind): Promise<void>;
  /** Rejects unless the transaction was committed. May return what tells `touched` how much was seen. */
  commit(connection: Connection, kind: TransactionKind): Promise<CommitPosition | undefined>;
  /** How to run several statements at once; omitted if this takes as long as one after the other. */
  readonly script?: Script;
  rollback(connection: Connection): Promise<void>;
  /**
   * Runs a fixed SELECT as a statement that is prepared once for each connection. Aborting the signal stops the engine,
   * and throws the signal's reason once the connection is free.
   */
  fetch<Row>(connection: Connection, sql: string, bindings: readonly Scalar[], signal?: AbortSignal): Promise<Row[]>;
  /** Our tables with the names of their columns; partitions are not listed separately. */
  tables(on: Knex): Promise<Map<string, string[]>>;
  /** See `Storage.metrics`. */
  metrics(): readonly StorageMetric[];
  /** Within a transaction: waits until no other process changes the schema. */
  lockSchema(on: Knex): Promise<void>;
  /** Recognises other data at the same place; omitted if there cannot be any. */
  readonly lineage?: Lineage;
  /** Within a transaction that may change the schema: makes what `lineage` keeps in the database. */
  prepareLineage?(on: Knex): Promise<void>;
  ping(): Promise<void>;
  /** See `Storage.parts`. */
  parts?(): Promise<ReadonlyMap<string, boolean>>;
  /** See `Storage.verify`. */
  verify(on: Knex): Promise<string[]>;
  /** See `Storage.copyTo`; the file does not exist. */
  copyTo?(file: string): Promise<Record<string, number>>;
  /** See `Storage.purge`. */
  purge?(): Promise<void>;
  /** Closes all connections. Called when no work is running. */
  close(): Promise<void>;
}

/** The part of Knex's client that hands out connections. */
interface ConnectionSource {
  acquireConnection(): Promise<Connection & { __knex__disposed?: unknown }>;
  releaseConnection(connection: Connection): Promise<void>;
}

/** Runs work on one connection of a Knex; inside a transaction, on the transaction's. */
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

/** Keeps a connection in an unknown state from being used again; the pool replaces it. */
export function discard(connection: Connection & { __knex__disposed?: unknown }, reason: unknown): void {
  connection.__knex__disposed = reason;
}

/** The `connectionPool` of a Knex with a single connection. */
export function soleConnection(connection: Connection, ready: () => Promise<void>) {
  return {
    acquire: () => ({ promise: ready().then(() => connection) }),
    release: () => true,
    destroy: async () => {},
    numUsed: () => 1,
    numFree: () => 0,
    numPendingAcquires: () => 0,
  };
}

/** Writes Knex's messages to our log, at debug level: whatever matters is thrown as a fault as well. */
export function knexLog(log: StorageLog): Knex.Logger {
  const note = (message: unknown) => log.debug({ message: String(message).split('\n', 1)[0] }, 'knex');
  return {
    warn: note,
    error: note,
    debug: note,
    deprecate: (method, alternative) => note(`${method}: use ${alternative}`),
  };
}

// Prepared statements, cached for each connection by their text.

/** Statements cached for one connection; the least recently used one is dropped. */
const statementsKept = 200;

/** `Handle` is the engine's handle of a prepared statement. */
export class PreparedStatements<Link extends Connection, Handle> {
  readonly #known = new WeakMap<Link, Map<string, Handle>>();
  readonly #prepare: (connection: Link, sql: string) => Promise<Handle>;
  readonly #release: (connection: Link, handle: Handle) => Promise<void>;

  constructor(
    prepare: (connection: Link, sql: string) => Promise<Handle>,
    release: (connection: Link, handle: Handle) => Promise<void>,
  ) {
    this.#prepare = prepare;
    this.#release = release;
  }

  /** The statement for this text. Only the holder of the connection may call this. */
  async get(connection: Link, sql: string): Promise<Handle> {
    let known = this.#known.get(connection);
    if (!known) {
      known = new Map();
      this.#known.set(connection, known);
    }
    const handle = known.get(sql) ?? (await this.#prepare(connection, sql));
    // The map is in order of use.
    known.delete(sql);
    known.set(sql, handle);
    if (known.size <= statementsKept) return handle;
    const [oldest] = known;
    if (oldest) {
      known.delete(oldest[0]);
      await this.#release(connection, oldest[1]);
    }
    return handle;
  }

  /** Releases all statements of a connection before it is closed. */
  async clear(connection: Link): Promise<void> {
    const known = [...(this.#known.get(connection)?.values() ?? [])];
    this.#known.delete(connection);
    for (const handle of known) await this.#release(connection, handle);
  }
}

// Statements that are stopped in the engine when their result is no longer needed.

/**
 * Runs a statement until the signal is aborted: `stop` then makes the engine end it, and the signal's reason is thrown
 * once it has ended. `stop` is called again every `pause` milliseconds, since a statement that has not begun cannot be
 * stopped.
 */
export async function stoppable<Result>(
  signal: AbortSignal,
  run: () => Promise<Result>,
  stop: () => void,
  pause: number,
): Promise<Result> {
  signal.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    stop();
    timer = setInterval(stop, pause);
  };
  signal.addEventListener('abort', begin, { once: true });
  try {
    return await run();
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', begin);
    clearInterval(timer);
  }
}

// Whether the data is still that which was opened, or other data came to its place: a restored backup, for example.

export abstract class Lineage {
  /** See `Storage.replaced`. */
  readonly replaced: Promise<string>;
  #reason: string | undefined;
  #hasLooked = false;
  #resolve: (reason: string) => void = () => {};

  constructor() {
    this.replaced = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isReplaced(): boolean {
    return this.#reason !== undefined;
  }

  /** Called before and after work that may change data. Throws an `unavailable` fault once the data was replaced. */
  confirm(): void {
    if (this.#reason === undefined) this.look();
    if (this.#reason !== undefined) throw this.fault();
  }

  /** The same after work that only reads: all that ends in one turn of the event loop shares one look. */
  confirmRead(): void {
    if (this.#hasLooked && this.#reason === undefined) return;
    this.confirm();
    this.#hasLooked = true;
    setImmediate(() => {
      this.#hasLooked = false;
    });
  }

  /** Compares, and calls `replace` if the data is other data. May finish after it returned. */
  protected abstract look(): void;

  /** Refuses all work from now on. */
  protected replace(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#resolve(reason);
  }

  protected fault(): Fault {
    return outage(`${this.#reason}: it is opened again`);
  }
}

// Connection pools of an engine: who may use how many of their connections, and their metrics.

/** The part of Knex's pool (tarn) that counts. */
interface KnexPool {
  max: number;
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

/** The part of Knex's client that hands out connections. */
interface PooledClient {
  acquireConnection(): Promise<object>;
  releaseConnection(connection: object): Promise<void>;
}

/** `long`: reports and background work; `usual`: all but health checks. */
type PoolShare = 'long' | 'usual';

/** Connections that reports and background work may use together, and these together with queries. */
export function sharesOfPool(max: number): { long: number; usual: number } {
  if (max < 4) return { long: Math.max(1, max - 1), usual: max };
  return { long: max - 1 - Math.ceil(max / 4), usual: max - 1 };
}

/** Work that waits for its share, by pool. */
const lines = new WeakMap<Knex, { size: number }>();

/**
 * Lets reports and background work use a part of the connections only, so that queries do not wait behind them, and keeps one
 * of four or more free for health checks. Work that waits begins in the order in which it came, as its share has room; after
 * `patience` milliseconds it fails as if the pool were full. Work that has a connection gets a second one without waiting here:
 * others that wait for a second one, too, would never give back their first.
 */
export function sharing(knex: Knex, max: number, patience: number): Knex {
  const source = knex.client as PooledClient;
  const acquire = source.acquireConnection.bind(source);
  const release = source.releaseConnection.bind(source);
  const shares = sharesOfPool(max);
  const used = { long: 0, usual: 0 };
  const waiting: { of: PoolShare; begin(): void }[] = [];
  const held = new WeakMap<object, { of: PoolShare | undefined; work: ClassedWork | undefined }>();
  lines.set(knex, {
    get size() {
      return waiting.length;
    },
  });

  const hasRoom = (of: PoolShare) => used.usual < shares.usual && (of === 'usual' || used.long < shares.long);
  const take = (of: PoolShare | undefined) => {
    if (of !== undefined) used.usual++;
    if (of === 'long') used.long++;
  };
  const giveBack = (of: PoolShare | undefined) => {
    if (of !== undefined) used.usual--;
    if (of === 'long') used.long--;
    for (let next = waiting.find((one) => hasRoom(one.of)); next; next = waiting.find((one) => hasRoom(one.of))) {
      waiting.splice(waiting.indexOf(next), 1);
      take(next.of);
      next.begin();
    }
  };

  const turn = (of: PoolShare): Promise<void> =>
    new Promise((resolve, reject) => {
      const one = {
        of,
        begin() {
          clearTimeout(late);
          resolve();
        },
      };
      const late = setTimeout(() => {
        waiting.splice(waiting.indexOf(one), 1);
        // As Knex names it, so that it is translated alike.
        reject(Object.assign(new Error('no connection became free in time'), { name: 'KnexTimeoutError' }));
      }, patience);
      waiting.push(one);
    });

  source.acquireConnection = async () => {
    const work = classedWork();
    const of = shareOf(work);
    if (of !== undefined && !hasRoom(of)) await turn(of);
    else take(of);
    try {
      const connection = await acquire();
      held.set(connection, { of, work });
      if (work !== undefined) work.connections++;
      return connection;
    } catch (error) {
      giveBack(of);
      throw error;
    }
  };
  source.releaseConnection = async (connection) => {
    try {
      await release(connection);
    } finally {
      const holder = held.get(connection);
      held.delete(connection);
      if (holder?.work !== undefined) holder.work.connections--;
      if (holder !== undefined) giveBack(holder.of);
    }
  };
  return knex;
}

/** The share that a connection for this work counts in; undefined if it need not wait for one. */
function shareOf(work: ClassedWork | undefined): PoolShare | undefined {
  if (work === undefined) return 'usual';
  if (work.of === 'health' || work.connections === 1) return undefined;
  return work.of === 'query' ? 'usual' : 'long';
}

export function poolMetrics(pools: Readonly<Record<string, Knex>>): StorageMetric[] {
  const values = Object.entries(pools).flatMap(([pool, knex]) => {
    const { pool: own } = knex.client as { pool?: KnexPool };
    if (own === undefined) return [];
    const waiting = own.numPendingAcquires() + (lines.get(knex)?.size ?? 0);
    const states = { used: own.numUsed(), free: own.numFree(), waiting, max: own.max };
    return Object.entries(states).map(([state, value]) => ({ labels: { pool, state }, value }));
  });
  return [
    {
      name: 'connections',
      help: 'Connections of this process to the database by state; waiting: work without a free connection; max: the limit',
      type: 'gauge',
      labels: ['pool', 'state'],
      values,
    },
  ];
}
