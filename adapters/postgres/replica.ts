/** The connections to a streaming replica, and when a read goes there. */
import type { Knex } from 'knex';
import type { StorageLog } from '../../core/storage.js';
import { type Driver, onConnection } from '../knex/driver.js';
import { translator } from './errors.js';
import { addressOf, type PostgresSettings, replicaOf } from './settings.js';
import { ReplicaWatch } from './watch.js';

/** Milliseconds in which a server that is well answers. */
const patience = 3000;
/** Milliseconds for which a replica that failed is left alone. */
const rest = 5000;

/** A promoted replica goes on saying what it once replayed. */
const caughtUp = 'select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() >= ?::pg_lsn end as there';

export interface ReplicaContext {
  primary: Knex;
  open(settings: PostgresSettings): Knex;
  log: StorageLog;
}

/** Undefined where the settings name none. It may be away at first, and at any time later. */
export function openReplica(
  settings: PostgresSettings,
  { primary, open, log }: ReplicaContext,
): (Required<Pick<Driver, 'reading' | 'touched'>> & { close(): Promise<void> }) | undefined {
  const own = replicaOf(settings);
  if (own === undefined) return undefined;
  const translate = translator(addressOf(own));
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
  return {
    async reading(work) {
      if (await watch.mayServe()) {
        let begun = false;
        try {
          return await onConnection(knex, (connection) => {
            begun = true;
            return work(connection);
          });
        } catch (error) {
          if (begun) throw error;
          watch.failed(translate(error).message);
        }
      }
      try {
        return await onConnection(primary, work);
      } finally {
        watch.touched();
      }
    },
    touched: () => watch.touched(),
    close: () => knex.destroy(),
  };
}
