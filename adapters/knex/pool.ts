/** Connection pools of an engine: who may use how many of their connections, and their metrics. */
import type { Knex } from 'knex';
import { type ClassedWork, classedWork, type StorageMetric } from '../../core/storage.js';

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
export function sharesOf(max: number): { long: number; usual: number } {
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
  const shares = sharesOf(max);
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
