/** The connections to a streaming replica, and when it serves a read. */
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { inClass, isFault, type StorageLog, type StorageMetric } from '../../core/storage.js';
import { type Connection, type Driver, discard, onConnection } from '../knex/driver.js';
import { postgresEngine } from './engine.js';
import { askSoon, isLost, translator } from './errors.js';
import { isPooled } from './session.js';
import { addressOfServer, type PostgresSettings, settingsOfReplica } from './settings.js';
import { type ReplicaCandidate, ReplicaWatch } from './watch.js';

/** Milliseconds in which a healthy server answers. */
const patience = 3000;
/** Milliseconds for which a failed replica is not used. */
const rest = 5000;

/** New connections that are tried in search of a replica that has everything. */
const mostOthers = 4;

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
  const own = settingsOfReplica(settings);
  if (own === undefined) return undefined;
  const translate = translator(addressOfServer(own));
  const engine = postgresEngine(translate);
  const knex = open(own);
  const now = () => performance.now();
  const watch = new ReplicaWatch({
    // Queries share the answer, so that they must not wait behind reports.
    position: () =>
      inClass('health', async () => {
        const { rows } = await primary.raw('select pg_current_wal_lsn()::text as position').timeout(patience);
        return rows[0].position;
      }),
    maxStaleness: settings.replica?.maxStaleness ?? 0,
    rest,
    log,
    now,
  });
  /** The server at the other end of each connection, and when it was first used. */
  const servers = new WeakMap<Connection, { server: string; opened: number }>();
  async function candidateOn(connection: Connection): Promise<ReplicaCandidate> {
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
  type Outcome<Result> = { result: Result } | undefined;
  type Work<Result> = Parameters<typeof readPrimary<Result>>[0];

  /**
   * Runs the work on a connection to the replica; undefined if it may not. Then the connection is kept for later unless
   * `leaves` says otherwise. Throws PrimaryLost if the primary had to be asked and did not answer.
   */
  async function onReplica<Result>(work: Work<Result>, leaves = false): Promise<Outcome<Result>> {
    if (!watch.mayTry()) return undefined;
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
        else if (verdict === 'primary' && leaves) discard(connection, 'its server lacks what another may have');
        if (verdict !== 'serve') return undefined;
        progress.served = true;
        try {
          return { result: await work(connection, { engine, once }) };
        } finally {
          watch.ended();
        }
      });
      if (outcome !== undefined) reads.current++;
      return outcome;
    } catch (error) {
      if (error instanceof PrimaryLost) throw error;
      // A connection to a server that has just died seems alive until it is used.
      const lost = !progress.served || (!progress.once && isLost(error));
      if (!lost) {
        reads.current++;
        throw progress.once ? error : translate(error);
      }
      watch.failed(translate(error).message);
      return undefined;
    }
  }

  /** Tries the servers behind the address of the replica, by new connections: a proxy leads each to the next. */
  async function onOthers<Result>(work: Work<Result>): Promise<Outcome<Result>> {
    // As many old connections as the pool may have come first.
    for (let left = settings.pool.max + mostOthers; left > 0; left--) {
      const found = await onReplica(work, true).catch((error: unknown) => {
        if (error instanceof PrimaryLost) return undefined;
        throw error;
      });
      if (found !== undefined || !watch.mayTry()) return found;
    }
    return undefined;
  }

  /** Counts reads by the server that answered, and why. */
  const reads = { current: 0, behind: 0, failed: 0 };
  return {
    knex,
    metrics: () => replicaMetrics(reads, watch.current()),
    async reading(work) {
      const first = await onReplica(work).catch(async (error: unknown) => {
        if (!(error instanceof PrimaryLost)) throw error;
        const other = await onOthers(work);
        if (other === undefined) throw error.cause;
        return other;
      });
      const found = first ?? (watch.primaryLost() ? await onOthers(work) : undefined);
      if (found !== undefined) return found.result;
      reads[watch.failing() ? 'failed' : 'behind']++;
      const progress = { reached: false, once: false };
      try {
        const result = await readPrimary((connection, server) => {
          progress.reached = true;
          const once = () => {
            progress.once = true;
            server.once();
          };
          return work(connection, { engine: server.engine, once });
        });
        watch.touched();
        return result;
      } catch (error) {
        const isGone = isLost(error) || (!progress.reached && isFault(error) && error.code === 'unavailable');
        if (progress.once || !isGone || watch.primaryLost()) throw error;
        // The read that finds the primary gone looks for a replica that has all that it had.
        watch.lostPrimary();
        const other = await onOthers(work);
        if (other === undefined) throw error;
        return other.result;
      }
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

/** Counts of reads by the server that answered, and why. */
type ReplicaReads = Readonly<Record<'current' | 'behind' | 'failed', number>>;

export function replicaMetrics(reads: ReplicaReads, isUsed: boolean): StorageMetric[] {
  return [
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
      values: [{ labels: {}, value: isUsed ? 1 : 0 }],
    },
  ];
}
