/** jobs@1 on SQL. Each verb is one statement, so that nothing can change between its read and its write. */
import {
  endedStates,
  type Job,
  type JobRepository,
  type JobState,
  jobStates,
  jobs,
  type NewJob,
} from '../../../core/jobs/contract.js';
import { type Database, defineBinding } from '../binding.js';
import { columns, type JobRow, jobOf, jobRows, live, migrations, rowOf, table } from './layout.js';

const selection = `select ${columns.join(', ')} from ${table}`;
const handedBack = { worker: null, lease_until: null };

function repository(database: Database): JobRepository {
  const { engine } = database;
  const { values } = engine;
  const time = (date: Date) => values.time(date) as string | number;
  /** Fields of every job that has ended. */
  const ended = { payload: values.json(null) as string, live_key: null };

  /** Changes a job that the worker holds; returns false if it does not hold it. */
  const whileHeld = async (id: string, worker: string, now: Date, fields: Record<string, unknown>) => {
    const changed = await database.run(({ write }) =>
      write(table)
        .where({ id, worker, state: 'running' })
        .update({ ...handedBack, updated: time(now), ...fields }),
    );
    return changed > 0;
  };

  return {
    enqueue: (job) => enqueue(database, job),

    async find(id, owner) {
      const own = owner === undefined ? '' : ' and owner = ?';
      const bindings = owner === undefined ? [id] : [id, owner];
      const [row] = await database.query<JobRow>(`${selection} where id = ?${own}`, bindings);
      return row && jobOf(row, database);
    },

    async list({ owner, state, limit }) {
      const chosen = Object.entries({ owner, state }).flatMap(([column, value]) =>
        value === undefined ? [] : [[column, value] as const],
      );
      const where = chosen.length === 0 ? '' : `where ${chosen.map(([column]) => `${column} = ?`).join(' and ')} `;
      const rows = await database.query<JobRow>(`${selection} ${where}order by created desc, seq desc limit ?`, [
        ...chosen.map(([, value]) => value),
        limit,
      ]);
      return rows.map((row) => jobOf(row, database));
    },

    async claim({ kinds, worker, now, leaseUntil }) {
      if (kinds.length === 0) return undefined;
      const [row] = await database.run(({ write }) => {
        const due = write(table)
          .select('seq')
          .whereRaw(live)
          .andWhere((or) =>
            or
              .where((queued) => queued.where('state', 'queued').andWhere('run_after', '<=', time(now)))
              .orWhere((ended) => ended.where('state', 'running').andWhere('lease_until', '<', time(now))),
          )
          .orderBy(['created', 'seq'])
          .limit(1);
        return write(table)
          .where('seq', '=', engine.skipLocked(engine.whereIn(due, 'kind', kinds)))
          .update({
            state: 'running',
            worker,
            lease_until: time(leaseUntil),
            attempts: write.raw('attempts + 1'),
            crashes: write.raw("crashes + case state when 'running' then 1 else 0 end"),
            updated: time(now),
          })
          .returning<JobRow[]>([...columns]);
      });
      return row && jobOf(row, database);
    },

    async renew(id, worker, leaseUntil, progress, now) {
      const [row] = await database.run(({ write }) =>
        write(table)
          .where({ id, worker, state: 'running' })
          .update({ lease_until: time(leaseUntil), progress, updated: time(now) })
          .returning<Pick<JobRow, 'cancel_requested'>[]>('cancel_requested'),
      );
      if (!row) return 'lost';
      return values.parseBoolean(row.cancel_requested) ? 'cancel' : 'held';
    },

    finish: (id, worker, result, now) =>
      whileHeld(id, worker, now, { state: 'done', result: values.json(result), progress: 1, ...ended }),

    fail: (id, worker, error, now, retryAt) =>
      whileHeld(
        id,
        worker,
        now,
        retryAt ? { state: 'queued', error, run_after: time(retryAt) } : { state: 'failed', error, ...ended },
      ),

    release: (id, worker, now) =>
      whileHeld(id, worker, now, { state: 'queued', attempts: database.write.raw('attempts - 1') }),

    async cancel(id, now) {
      const changed = await database.run(({ write }) =>
        write(table)
          .where({ id })
          .whereRaw(live)
          .update({
            state: write.raw("case state when 'queued' then 'cancelled' else state end"),
            payload: write.raw("case state when 'queued' then ? else payload end", [ended.payload]),
            live_key: write.raw("case state when 'queued' then null else live_key end"),
            cancel_requested: write.raw("case state when 'running' then ? else cancel_requested end", [
              values.boolean(true) as boolean | number,
            ]),
            updated: time(now),
          }),
      );
      return changed > 0;
    },

    cancelled: (id, worker, now) => whileHeld(id, worker, now, { state: 'cancelled', ...ended }),

    expire: (before) =>
      database.run(({ write }) =>
        write(table).whereIn('state', endedStates).andWhere('updated', '<', time(before)).delete(),
      ),

    remove: (ids) =>
      database.run(({ write }) => engine.whereIn(write(table).whereIn('state', endedStates), 'id', ids).delete()),

    async count() {
      const rows = await database.query<{ state: JobState; jobs: unknown }>(
        `select state, count(*) as jobs from ${table} group by state`,
        [],
      );
      const counts: Record<JobState, number> = { queued: 0, running: 0, done: 0, failed: 0, cancelled: 0 };
      for (const { state, jobs } of rows) {
        // An unknown state means a damaged row.
        if (jobStates.includes(state)) counts[state] = values.parseBig(jobs);
      }
      return counts;
    },
  };
}

async function enqueue(database: Database, job: NewJob): Promise<Job> {
  const { values } = database.engine;
  for (;;) {
    const added = await database.run(({ write }) => {
      const insertion = write(table).insert(rowOf(job, values));
      const whole =
        job.key === undefined ? insertion : insertion.onConflict(write.raw(`(live_key) where ${live}`)).ignore();
      return whole.returning<JobRow[]>([...columns]);
    });
    // If the job of this key ends between the two statements, the key is free again.
    const [row] =
      added.length > 0
        ? added
        : await database.run(({ write }) =>
            write(table)
              .where('live_key', job.key ?? null)
              .whereRaw(live)
              .select<JobRow[]>(...columns),
          );
    if (row) return jobOf(row, database);
  }
}

export default defineBinding({ contract: jobs, migrations, rows: [jobRows], repository });
