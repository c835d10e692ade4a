/**
 * A connection to the primary, past the proxy, that is open before a failure and writes after it. Every commit that the
 * former primary acknowledges must be in the cluster afterwards. One that reaches the new primary just before its promotion
 * may be acknowledged; one that does not reach it must not be.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Cluster, Machine } from './cluster.js';

/** Milliseconds in which the former primary must have become a replica or refuse. */
const patience = 15_000;

export class Witness {
  readonly #cluster: Cluster;
  readonly #machine: Machine;
  readonly #before: pg.Client;

  private constructor(cluster: Cluster, machine: Machine, before: pg.Client) {
    this.#cluster = cluster;
    this.#machine = machine;
    this.#before = before;
  }

  static async of(cluster: Cluster, machine: Machine): Promise<Witness> {
    await cluster.sql('create table if not exists public.witness (id text primary key)', machine);
    const client = cluster.client(machine);
    client.on('error', () => undefined);
    await client.connect();
    await client.query('begin');
    await client.query('insert into public.witness values ($1)', [`before-${randomUUID()}`]);
    return new Witness(cluster, machine, client);
  }

  /** Commits what was begun before the failure, and writes over new connections for a while. Returns what was acknowledged. */
  async write(): Promise<string[]> {
    const acknowledged: string[] = [];
    const end = performance.now() + patience;
    const old = this.#within(end, async () => {
      const { rows } = await this.#before.query<{ id: string }>(
        "select id from public.witness where id like 'before-%'",
      );
      await this.#before.query('commit');
      acknowledged.push(...rows.map(({ id }) => id));
    });
    while (performance.now() < end) {
      const id = randomUUID();
      const outcome = await this.#within(Math.min(end, performance.now() + 2000), async () => {
        const client = this.#cluster.client(this.#machine);
        client.on('error', () => undefined);
        try {
          await client.connect();
          const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
          if (rows[0]?.standby) return 'standby';
          await client.query('insert into public.witness values ($1)', [id]);
          acknowledged.push(id);
          return 'written';
        } finally {
          client.end().catch(() => undefined);
        }
      });
      if (outcome === 'standby') break;
      await sleep(400);
    }
    await old;
    this.#before.end().catch(() => undefined);
    return acknowledged;
  }

  /** The outcome of the work; undefined if it fails or takes too long. */
  async #within<Outcome>(end: number, work: () => Promise<Outcome>): Promise<Outcome | undefined> {
    const late = new AbortController();
    const limit = sleep(Math.max(0, end - performance.now()), undefined, { signal: late.signal }).catch(
      () => undefined,
    );
    try {
      return await Promise.race([work().catch(() => undefined), limit]);
    } finally {
      late.abort();
    }
  }
}

/** Which of the acknowledged writes the cluster does not have. */
export async function missing(acknowledged: readonly string[], cluster: Cluster, leader: Machine): Promise<string[]> {
  if (acknowledged.length === 0) return [];
  const rows = await cluster.sql<{ id: string }>('select id from public.witness', leader);
  const stored = new Set(rows.map(({ id }) => id));
  return acknowledged.filter((id) => !stored.has(id));
}
