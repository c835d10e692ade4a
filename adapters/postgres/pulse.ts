/**
 * Finds connections whose server is gone without a word: its machine is frozen, or was unplugged. The operating system
 * would let a statement wait on them for a quarter of an hour. If a statement has been silent for a while, the server is
 * asked over a new connection whether it still runs it.
 */
import type { Socket } from 'node:net';
import type { Knex } from 'knex';
import pg from 'pg';
import type { StorageLog } from '../../core/storage.js';
import { SilentServer } from './errors.js';
import { isPooled } from './session.js';

/** Milliseconds. A check begins after the silence, and asks twice at most. */
const limits = { every: 1000, silence: 4000, patience: 3000 };

/** SQLSTATE: the server has no connection left, or the connection pool before it takes no further client. */
const tooMany = new Set(['53300', '08P01']);

/** Properties of a `pg` connection that its types do not declare. */
type Link = pg.Client & { processID?: number | null; connection?: { stream?: Socket } };

/** The part of Knex's pool (tarn) that lists connections. */
interface Pool {
  used: { resource: Link }[];
  free: { resource: Link }[];
}

/** Watches the connections of a Knex; returns what ends that. */
export function watchPulse(knex: Knex, log: Pick<StorageLog, 'warn'>): () => void {
  const heard = new WeakMap<Link, { bytes: number; at: number }>();
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

function poolOf(knex: Knex): Pool | undefined {
  return (knex.client as { pool?: Pool }).pool;
}

function allOf({ used, free }: Pool): Link[] {
  return [...used, ...free].map(({ resource }) => resource);
}

/** Those that the server still runs; undefined if it does not answer. */
async function alive(one: Link, links: readonly Link[]): Promise<Set<Link> | undefined> {
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
function cut(link: Link): void {
  link.connection?.stream?.destroy(new SilentServer('The server is silent'));
}
