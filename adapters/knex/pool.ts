/** Metrics of an engine's connection pools. */
import type { Knex } from 'knex';
import type { StorageMetric } from '../../core/storage.js';

/** The part of Knex's pool (tarn) that counts. */
interface Pool {
  max: number;
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

export function poolMetrics(pools: Readonly<Record<string, Knex>>): StorageMetric[] {
  const values = Object.entries(pools).flatMap(([pool, knex]) => {
    const { pool: own } = knex.client as { pool?: Pool };
    if (own === undefined) return [];
    const states = { used: own.numUsed(), free: own.numFree(), waiting: own.numPendingAcquires(), max: own.max };
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
