/** jobs@1 above tables. */
import { Fault } from '../fault.js';
import {
  boolean,
  double,
  generated,
  json,
  optional,
  person,
  type RowOf,
  small,
  text,
  time,
  user,
} from '../table/columns.js';
import { absent, type Changes, type Conditions, defineStore, defineTable, type Tables } from '../table.js';
import {
  endedStates,
  type Job,
  type JobRepository,
  type JobSelection,
  type JobState,
  type Json,
  jobStates,
  jobs,
} from './contract.js';

const whileOpen = 'while the job waits or runs, since it needs it';

const queue = defineTable({
  name: 'jobs_queue',
  columns: {
    /** The order of jobs that were added at the same time. */
    seq: generated(),
    id: text(),
    kind: text(),
    payload: person(json<Json>(), whileOpen),
    owner: user(text(), 'until the job is deleted'),
    state: text(),
    attempts: small(),
    progress: double(),
    error: person(optional(text())),
    result: person(optional(json<Json>())),
    cancelRequested: boolean(),
    created: time(),
    updated: time(),
    runAfter: time(),
    worker: optional(text()),
    leaseUntil: optional(time()),
    /** The key of a job that is queued or running. */
    liveKey: person(optional(text()), whileOpen),
    crashes: small(),
  },
  key: ['seq'],
  unique: [['id'], ['liveKey']],
  indexes: [
    ['owner', 'created'],
    ['state', 'created', 'seq'],
  ],
  sound: ({ state }) => state === undefined || (jobStates as readonly string[]).includes(state),
});

type JobRow = RowOf<typeof queue.columns>;
type JobColumn = keyof JobRow;

const columns = Object.keys(queue.columns) as JobColumn[];
const allBut = (...kept: JobColumn[]) => columns.filter((column) => !kept.includes(column));

const handedBack = { worker: absent, leaseUntil: absent } as const;
/** What changes in every job that ends. A null of JSON, which the types of changes do not know. */
const ended = { payload: null as never, liveKey: absent } as const;

function jobOf({ seq: _, liveKey: __, state, ...row }: JobRow): Job {
  return { ...row, state: state as JobState };
}

/** The rows of which release 0.2 has indexes. */
const live = "state in ('queued', 'running')";

export const store = defineStore<JobRepository>({
  contract: jobs,
  tables: [queue],
  steps: {
    '002-crashes': {
      replaces: ['001-queue'],
      tables: [queue],
      adds: [{ table: queue, columns: { crashes: 0 } }],
      sql: {
        up: [
          `create index jobs_queue_live on jobs_queue (created, seq) where ${live}`,
          `create unique index jobs_queue_live_key on jobs_queue (live_key) where ${live}`,
        ],
        down: ['drop index jobs_queue_live_key', 'drop index jobs_queue_live'],
      },
    },
    // Indexes of all jobs: no engine uses one of some rows for a statement whose values are bound.
    '003-whole-indexes': {
      sql: {
        lays: [['liveKey'], ['state', 'created', 'seq']],
        up: [
          // Jobs that ended under an early version have kept theirs.
          `update jobs_queue set live_key = null where not (${live})`,
          'create unique index jobs_queue_keys on jobs_queue (live_key)',
          'create index jobs_queue_states on jobs_queue (state, created, seq)',
          'drop index jobs_queue_live_key',
          'drop index jobs_queue_live',
        ],
        down: [
          `create index jobs_queue_live on jobs_queue (created, seq) where ${live}`,
          `create unique index jobs_queue_live_key on jobs_queue (live_key) where ${live}`,
          'drop index jobs_queue_states',
          'drop index jobs_queue_keys',
        ],
      },
    },
  },
  repository(tables) {
    const table = tables.table(queue);

    /** Jobs by their numbers, in this order; those that are damaged as far as they can be read. */
    async function jobsOf(on: Tables, found: readonly Pick<JobRow, 'seq'>[]): Promise<Job[]> {
      const seqs = found.map(({ seq }) => seq);
      const rows = await on.table(queue).find({ where: { seq: { among: seqs } } });
      const whole = new Map(rows.map((row) => [row.seq, jobOf(row)]));
      const all: Job[] = [];
      for (const seq of seqs) {
        const job = whole.get(seq) ?? (await damagedJob(on, seq));
        if (job !== undefined) all.push(job);
      }
      return all;
    }

    /** Unreadable times, counters and states become the earliest time, 0 and `failed`; undefined if the job is gone. */
    async function damagedJob(on: Tables, seq: number): Promise<Job | undefined> {
      const read: Partial<JobRow> = {};
      for (const column of allBut('seq', 'payload', 'result', 'liveKey')) {
        Object.assign(read, await on.table(queue).one({ seq }, { without: allBut('seq', column) }));
      }
      const { seq: found, ...rest } = read;
      if (found === undefined) return undefined;
      const whole = { id: '', kind: '', owner: '', attempts: 0, crashes: 0, progress: 0, cancelRequested: false };
      const earliest = new Date(0);
      return {
        ...{ created: earliest, updated: earliest, runAfter: earliest, ...whole, ...rest },
        state: (read.state ?? 'failed') as JobState,
        error: read.error ?? 'What is stored of this job cannot be read any more',
        payload: null,
        damaged: true,
      };
    }

    async function one(where: Conditions<JobRow>, latest = false): Promise<Job | undefined> {
      const found = await table.one(where, { latest });
      if (found !== undefined) return jobOf(found);
      const damaged = await table.one(where, { latest, without: allBut('seq') });
      return damaged && (await jobsOf(tables, [damaged]))[0];
    }

    /** Changes a job that the worker holds; returns false if it does not hold it. Only a running job has a worker. */
    async function whileHeld(id: string, worker: string, updated: Date, changes: Changes<JobRow>): Promise<boolean> {
      return (await table.change({ id, worker }, { ...handedBack, updated, ...changes })) > 0;
    }

    return {
      async enqueue({ key, ...job }) {
        const fresh = { state: 'queued', attempts: 0, crashes: 0, progress: 0, cancelRequested: false };
        for (;;) {
          const added = await table.add({ ...job, ...fresh, updated: job.created, liveKey: key });
          if (added !== undefined) return jobOf(added);
          // If the job of this key ends between the two statements, the key is free again.
          const twin = key === undefined ? undefined : await one({ liveKey: key }, true);
          if (twin !== undefined) return twin;
          if ((await table.count({ id: job.id }, { latest: true })) > 0) {
            throw new Fault('conflict', 'There is already a job with this id');
          }
        }
      },

      find: (id, owner) => one({ id, ...(owner !== undefined && { owner }) }),

      list: ({ owner, state, limit }: JobSelection) =>
        tables.snapshot(async (moment) => {
          const where = { ...(owner !== undefined && { owner }), ...(state !== undefined && { state }) };
          const query = { where, order: ['created', 'seq'], descending: true, limit, without: allBut('seq') } as const;
          return jobsOf(moment, await moment.table(queue).find(query));
        }),

      async claim({ kinds, worker, now, leaseUntil }) {
        const kind = { among: kinds };
        const order = ['created', 'seq'] as const;
        const due: Conditions<JobRow>[] = [
          { state: 'queued', runAfter: { atMost: now }, kind },
          { state: 'running', leaseUntil: { below: now }, kind },
        ];
        const claimed = (state: string): Changes<JobRow> => ({
          ...{ state: 'running', worker, leaseUntil, updated: now, attempts: { plus: 1 } },
          ...(state === 'running' && { crashes: { plus: 1 } }),
        });
        for (;;) {
          const first: { where: Conditions<JobRow>; row: Pick<JobRow, 'seq' | 'created'> }[] = [];
          // Each of them reads the index from its beginning.
          for (const where of due) {
            const [row] = await table.find({ where, order, limit: 1, latest: true, without: allBut('seq', 'created') });
            if (row !== undefined) first.push({ where, row });
          }
          first.sort(({ row: a }, { row: b }) => a.created.getTime() - b.created.getTime() || a.seq - b.seq);
          const [oldest] = first;
          if (oldest === undefined) return undefined;
          const { seq } = oldest.row;
          if ((await table.one({ seq }, { latest: true })) !== undefined) {
            const row = await table.take({ where: oldest.where, order }, ({ state }) => claimed(state));
            if (row !== undefined) return jobOf(row);
          } else {
            // A damaged job is claimed by its number, and its worker fails it.
            const changed = await table.change({ ...oldest.where, seq }, claimed(String(oldest.where.state)));
            if (changed > 0) return damagedJob(tables, seq);
          }
        }
      },

      async renew(id, worker, leaseUntil, progress, now) {
        if ((await table.change({ id, worker }, { leaseUntil, progress, updated: now })) === 0) return 'lost';
        return (await table.count({ id, cancelRequested: true }, { latest: true })) > 0 ? 'cancel' : 'held';
      },

      finish: (id, worker, result, now) =>
        whileHeld(id, worker, now, { state: 'done', result: result as never, progress: 1, ...ended }),

      fail: (id, worker, error, now, retryAt) =>
        whileHeld(
          id,
          worker,
          now,
          retryAt ? { state: 'queued', error, runAfter: retryAt } : { state: 'failed', error, ...ended },
        ),

      release: (id, worker, now) => whileHeld(id, worker, now, { state: 'queued', attempts: { plus: -1 } }),

      async cancel(id, now) {
        do {
          if ((await table.change({ id, state: 'queued' }, { state: 'cancelled', updated: now, ...ended })) > 0)
            return true;
          if ((await table.change({ id, state: 'running' }, { cancelRequested: true, updated: now })) > 0) return true;
          // It may have gone from running to queued between the two.
        } while ((await table.count({ id, state: { among: ['queued', 'running'] } }, { latest: true })) > 0);
        return false;
      },

      cancelled: (id, worker, now) => whileHeld(id, worker, now, { state: 'cancelled', ...ended }),
      expire: (before) => table.remove({ state: { among: endedStates }, updated: { below: before } }),
      remove: (ids) => table.remove({ id: { among: ids }, state: { among: endedStates } }),

      count: () =>
        tables.snapshot(async (moment) => {
          const counts = {} as Record<JobState, number>;
          for (const state of jobStates) counts[state] = await moment.table(queue).count({ state });
          return counts;
        }),
    };
  },
});
