/** The connections to a streaming replica, and when it serves a read. */
import type { Knex } from 'knex';
import type { StorageLog } from '../../core/storage.js';
import { type Driver, onConnection } from '../knex/driver.js';
import { postgresEngine } from './engine.js';
import { isLost, translator } from './errors.js';
import { addressOf, type PostgresSettings, replicaOf } from './settings.js';
import { ReplicaWatch } from './watch.js';

/** Milliseconds in which a healthy server answers. */
const patience = 3000;
/** Milliseconds for which a failed replica is not used. */
const rest = 5000;

/** A promoted replica keeps reporting its last replayed position. */
const caughtUp = 'select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() >= ?::pg_lsn end as there';

export interface ReplicaContext {
  primary: Knex;
  readPrimary: Driver['reading'];
  open(settings: PostgresSettings): Knex;
  log: StorageLog;
}

export interface Replica extends Required<Pick<Driver, 'reading' | 'touched'>>, Pick<Driver, 'metrics'> {
  readonly knex: Knex;
  close(): Promise<void>;
}

/** Undefined if the settings name no replica. It may be unreachable at start and at any later time. */
export function openReplica(
  settings: PostgresSettings,
  { primary, readPrimary, open, log }: ReplicaContext,
): Replica | undefined {
  const own = replicaOf(settings);
  if (own === undefined) return undefined;
  const translate = translator(addressOf(own));
  const engine = postgresEngine(translate);
  const knex = open(own);
  const watch = new ReplicaWatch({
    watched: {
      position: async () => {
        const { rows } = await primary.raw('select pg_current_wal_lsn()::text as position').timeout(patience);
        return rows[0].position;
      },
      hasReplayed: async (position) => {
        const { rows } = await knex
          .raw(caughtUp, [position])
          .timeout(patience)
          .catch((error: unknown) => Promise.reject(translate(error)));
        if (rows[0].there === null) throw new Error('It is no replica (any more)');
        return rows[0].there;
      },
    },
    maxStaleness: settings.replica?.maxStaleness ?? 0,
    rest,
    log,
    now: () => performance.now(),
  });
  /** Counts reads by the server that answered, and why. */
  const reads = { current: 0, behind: 0, failed: 0 };
  return {
    knex,
    metrics: () => [
      {
        name: 'replica_reads_total',
        help: 'Reads by server: the replica, or the primary because the replica was behind or failed',
        type: 'counter',
        labels: ['server', 'reason'],
        values: [
          { labels: { server: 'replica', reason: 'current' }, value: reads.current },
          { labels: { server: 'primary', reason: 'behind' }, value: reads.behind },
          { labels: { server: 'primary', reason: 'failed' }, value: reads.failed },
        ],
      },
      {
        name: 'replica_used',
        help: 'Whether reads go to the replica (1) or to the primary (0)',
        type: 'gauge',
        labels: [],
        values: [{ labels: {}, value: watch.current() ? 1 : 0 }],
      },
    ],
    async reading(work) {
      if (await watch.mayServe()) {
        const progress = { connected: false, once: false };
        const once = () => {
          progress.once = true;
        };
        try {
          const result = await onConnection(knex, (connection) => {
            progress.connected = true;
            return work(connection, { engine, once });
          });
          reads.current++;
          return result;
        } catch (error) {
          // A connection to a server that has just died seems alive until it is used.
          const lost = !progress.connected || (!progress.once && isLost(error));
          if (!lost) {
            reads.current++;
            throw progress.once ? error : translate(error);
          }
          watch.failed(translate(error).message);
        }
      }
      reads[watch.failing() ? 'failed' : 'behind']++;
      try {
        return await readPrimary(work);
      } finally {
        watch.touched();
      }
    },
    touched: () => watch.touched(),
    close: () => knex.destroy(),
  };
}
