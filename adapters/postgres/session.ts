/** What our connections keep in the server between transactions, and which of them have lost their server without a word. */
import type { Socket } from 'node:net';
import type { Knex } from 'knex';
import pg, { type Client } from 'pg';
import { Fault, outage, type StorageLog } from '../../core/storage.js';
import { SilentServer } from './errors.js';
import { type PostgresSettings, type ServerAddress, showAddress } from './settings.js';

// What our connections keep in the server between transactions: prepared statements and a time limit. If they go through a
// pool such as PgBouncer in transaction mode, each transaction may run on another connection of the server, and nothing is
// kept. A connection is recognised by its process: a pool does not reveal the server's.

/** Properties of a `pg` connection that its types do not declare. */
type SessionClient = Client & {
  processID?: number | null;
  connectionParameters: { options?: string; statement_timeout?: number | string | false };
};

/** The part of Knex's client that makes connections. */
interface Maker {
  acquireRawConnection(): Promise<SessionClient>;
}

/** Connections that keep nothing between transactions. */
const pooled = new WeakSet<object>();

/** Whether statements must not stay prepared on this connection. */
export function isPooled(connection: object): boolean {
  return pooled.has(connection);
}

interface SessionOptions {
  settings: PostgresSettings;
  log: StorageLog;
  /** The address if it must lead to the primary. */
  primary: ServerAddress | undefined;
}

/** Makes a Knex find out of each new connection whether it keeps a session, and limit its statements if it does. */
export function greeting(knex: Knex, { settings, log, primary }: SessionOptions): Knex {
  const maker = knex.client as Maker;
  const make = maker.acquireRawConnection.bind(maker);
  let told = false;
  maker.acquireRawConnection = async () => {
    const link = await make();
    try {
      const { own, standby } = await ask(link, settings);
      if (standby && primary) refuseStandby(primary);
      if (own) return link;
      refuseOptions(link);
    } catch (error) {
      await link.end().catch(() => undefined);
      throw error;
    }
    pooled.add(link);
    if (!told) log.info({}, 'connections to the database go through a pool: statements are not kept prepared');
    told = true;
    return link;
  };
  return knex;
}

/**
 * Whether the connection keeps a session, and leads to a replica. One round trip for all: a setting must not be changed on
 * a connection of the server that others use as well.
 */
async function ask(
  link: SessionClient,
  { pooled: given, statementTimeout }: PostgresSettings,
): Promise<{ own: boolean; standby: boolean }> {
  const own = given === undefined ? `pg_backend_pid() = ${Number(link.processID ?? 0)}` : String(!given);
  // A limit in the URL takes precedence.
  const isLimited = given !== true && statementTimeout > 0 && !link.connectionParameters.statement_timeout;
  const limit = isLimited
    ? `, case when ${own} then set_config('statement_timeout', '${statementTimeout}', false) end`
    : '';
  const { rows } = await link.query<{ own: boolean; standby: boolean }>(
    `select ${own} as own, pg_is_in_recovery() as standby${limit}`,
  );
  return { own: rows[0]?.own === true, standby: rows[0]?.standby === true };
}

/**
 * A proxy may still lead to a former primary that is a replica by now, whose state may be older than what this process
 * has seen. Once connected, a primary closes its connections before it becomes a replica.
 */
function refuseStandby(address: ServerAddress): never {
  throw outage(`The PostgreSQL ${showAddress(address)} is a replica at the moment`);
}

/** A pool that does not refuse options ignores them: a search path among them would lead to other tables. */
function refuseOptions({ connectionParameters: { options } }: SessionClient): void {
  if (!options) return;
  throw new Fault(
    'unprocessable',
    'The database is reached through a connection pool, which does not pass on `options` (of the URL or PGOPTIONS): ' +
      'set them with `alter role … set …`',
  );
}

/** Refuses a pool behind which statements may run longer than the settings allow: only the server can end them there. */
export async function refuseUnlimited(link: Client, { statementTimeout }: PostgresSettings): Promise<void> {
  if (statementTimeout === 0 || !isPooled(link)) return;
  const { rows } = await link.query<{ limit: string; role: string }>(
    "select extract(epoch from current_setting('statement_timeout')::interval) * 1000 as limit, " +
      'quote_ident(current_user) as role',
  );
  const [{ limit = '0', role = '' } = {}] = rows;
  if (Number(limit) > 0 && Number(limit) <= statementTimeout) return;
  throw new Fault(
    'unprocessable',
    `The database is reached through a connection pool, where the server must limit statements to ${statementTimeout} ms: ` +
      `run \`alter role ${role} set statement_timeout = ${statementTimeout}\` and \`RECONNECT\` in PgBouncer's console, ` +
      'or set `statementTimeout: 0`',
  );
}

// Finds connections whose server is gone without a word: its machine is frozen, or was unplugged. The operating system
// would let a statement wait on them for a quarter of an hour. If a statement has been silent for a while, the server is
// asked over a new connection whether it still runs it.

/** Milliseconds. A check begins after the silence, and asks twice at most. */
const limits = { every: 1000, silence: 4000, patience: 3000 };

/** SQLSTATE: the server has no connection left, or the connection pool before it takes no further client. */
const tooMany = new Set(['53300', '08P01']);

/** Properties of a `pg` connection that its types do not declare. */
type WatchedClient = pg.Client & { processID?: number | null; connection?: { stream?: Socket } };

/** The part of Knex's pool (tarn) that lists connections. */
interface WatchedPool {
  used: { resource: WatchedClient }[];
  free: { resource: WatchedClient }[];
}

/** Watches the connections of a Knex; returns what ends that. */
export function watchPulse(knex: Knex, log: Pick<StorageLog, 'warn'>): () => void {
  const heard = new WeakMap<WatchedClient, { bytes: number; at: number }>();
  let checking = false;
  const timer = setInterval(() => {
    const pool = poolOf(knex);
    if (pool === undefined || checking) return;
    const now = performance.now();
    const silent = pool.used
      .map(({ resource }) => resource)
      .filter((link) => {
        const bytes = link.connection?.stream?.bytesRead ?? 0;
        const before = heard.get(link);
        if (before?.bytes !== bytes) heard.set(link, { bytes, at: now });
        return before?.bytes === bytes && now - before.at >= limits.silence;
      });
    const [first] = silent;
    if (first === undefined) return;
    checking = true;
    void alive(first, silent)
      .then((living) => {
        const dead = living === undefined ? allOf(pool) : silent.filter((link) => !living.has(link));
        for (const link of dead) cut(link);
        if (dead.length > 0) log.warn({ connections: dead.length }, 'connections to a silent server were closed');
        // Those that live may be silent for as long again.
        for (const link of silent) heard.delete(link);
      })
      .finally(() => {
        checking = false;
      });
  }, limits.every).unref();
  return () => clearInterval(timer);
}

function poolOf(knex: Knex): WatchedPool | undefined {
  return (knex.client as { pool?: WatchedPool }).pool;
}

function allOf({ used, free }: WatchedPool): WatchedClient[] {
  return [...used, ...free].map(({ resource }) => resource);
}

/** Those that the server still runs; undefined if it does not answer. */
async function alive(one: WatchedClient, links: readonly WatchedClient[]): Promise<Set<WatchedClient> | undefined> {
  for (let tries = 0; tries < 2; tries++) {
    const { host, port, user, database, password, ssl } = one;
    const asking = new pg.Client({
      host,
      port,
      user,
      database,
      password,
      ssl,
      application_name: 'trefoil-pulse',
      connectionTimeoutMillis: limits.patience,
      query_timeout: limits.patience,
    });
    asking.on('error', () => undefined);
    try {
      await asking.connect();
      const { rows } = await asking.query<{ pid: number }>('select pid from pg_stat_activity where pid = any($1)', [
        links.map(({ processID }) => processID),
      ]);
      const running = new Set(rows.map(({ pid }) => pid));
      // Behind a pool, the numbers are those of the pool, which watches its own connections.
      return new Set(links.filter((link) => isPooled(link) || running.has(link.processID ?? 0)));
    } catch (error) {
      // A server that refuses a further connection is there; a busy machine may be late once.
      if (tooMany.has((error as { code?: string }).code ?? '')) return new Set(links);
    } finally {
      asking.end().catch(() => undefined);
    }
  }
  return undefined;
}

/** Its statement fails as if the server had closed the connection, and the pool replaces it. */
function cut(link: WatchedClient): void {
  link.connection?.stream?.destroy(new SilentServer('The server is silent'));
}
