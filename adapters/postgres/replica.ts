/** The connections to a streaming replica, and when it serves a read. */
import type { Knex } from 'knex';
import type { Client } from 'pg';
import type { StorageLog } from '../../core/storage.js';
import { type Connection, type Driver, discard, onConnection } from '../knex/driver.js';
import { askSoon } from './ask.js';
import { postgresEngine } from './engine.js';
import { isLost, translator } from './errors.js';
import { isPooled } from './session.js';
import { addressOf, type PostgresSettings, replicaOf } from './settings.js';
import { type Candidate, ReplicaWatch } from './watch.js';

/** Milliseconds in which a healthy server answers. */
const patience = 3000;
/** Milliseconds for which a failed replica is not used. */
const rest = 5000;

/** A promoted replica keeps reporting its last replayed position. */
const caughtUp =
  // One whose tables are partly on other servers may be behind what is deleted there.
  'select case when pg_is_in_recovery() and not exists (select from pg_foreign_table) ' +
  'then pg_last_wal_replay_lsn() >= $1::pg_lsn end as answer';
/** Another server, or the same after a restart, has another start. */
const identity = `select concat_ws(' ', inet_server_addr(), inet_server_port(), pg_postmaster_start_time()) as answer`;

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
  const now = () => performance.now();
  const watch = new ReplicaWatch({
    position: async () => {
      const { rows } = await primary.raw('select pg_current_wal_lsn()::text as position').timeout(patience);
      return rows[0].position;
    },
    maxStaleness: settings.replica?.maxStaleness ?? 0,
    rest,
    log,
    now,
  });
  /** The server at the other end of each connection, and when it was first used. */
  const servers = new WeakMap<Connection, { server: string; opened: number }>();
  async function candidateOn(connection: Connection): Promise<Candidate> {
    const ask = async (text: string, values: string[] = []) => {
      const { rows } = await askSoon<{ answer: unknown }>(connection as Client, { text, values }, patience).catch(
        (error: unknown) => Promise.reject(translate(error)),
      );
      return rows[0]?.answer;
    };
    const known = servers.get(connection) ?? { opened: now(), server: String(await ask(identity)) };
    // A pool may have connected to another server meanwhile.
    if (isPooled(connection)) known.server = String(await ask(identity));
    servers.set(connection, known);
    return {
      server: known.server,
      openedBefore: (time) => known.opened < time,
      hasReplayed: async (position) => {
        const there = await ask(caughtUp, [position]);
        if (there === null) throw new Error('It is no replica (any more)');
        return there === true;
      },
    };
  }
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
      if (watch.mayTry()) {
        const progress = { served: false, once: false };
        const once = () => {
          progress.once = true;
        };
        try {
          const outcome = await onConnection(knex, async (connection) => {
            const verdict = await watch.judge(await candidateOn(connection)).catch((error: unknown) => {
              throw new PrimaryLost(error);
            });
            if (verdict === 'close') discard(connection, 'it leads to a server that is not used any more');
            if (verdict !== 'serve') return undefined;
            progress.served = true;
            return { result: await work(connection, { engine, once }) };
          });
          if (outcome !== undefined) {
            reads.current++;
            return outcome.result;
          }
        } catch (error) {
          if (error instanceof PrimaryLost) throw error.cause;
          // A connection to a server that has just died seems alive until it is used.
          const lost = !progress.served || (!progress.once && isLost(error));
          if (!lost) {
            reads.current++;
            throw progress.once ? error : translate(error);
          }
          watch.failed(translate(error).message);
        }
      }
      reads[watch.failing() ? 'failed' : 'behind']++;
      const result = await readPrimary(work);
      watch.touched();
      return result;
    },
    touched: (position) => watch.touched(position),
    close: () => knex.destroy(),
  };
}

/** Carries the primary's failure past the handling of the replica's. */
class PrimaryLost extends Error {
  constructor(cause: unknown) {
    super('The position of the primary is unknown', { cause });
  }
}
