/** How jobs are stored in their table. */
import { type Job, type JobState, type Json, jobStates, type NewJob } from '../../../core/jobs/contract.js';
import type { Database, Engine, SchemaStep } from '../binding.js';
import { intact, readRow, type StoredRows } from '../rows.js';

export const table = 'jobs_queue';

/** Literals in statements, so that the partial indexes apply. */
export const live = "state in ('queued', 'running')";

export const columns = [
  'id',
  'kind',
  'payload',
  'owner',
  'state',
  'attempts',
  'crashes',
  'progress',
  'error',
  'result',
  'cancel_requested',
  'created',
  'updated',
  'run_after',
  'worker',
  'lease_until',
] as const;

export interface JobRow {
  id: string;
  kind: string;
  payload: unknown;
  owner: string;
  state: JobState;
  attempts: number;
  crashes: number;
  progress: number;
  error: string | null;
  result: unknown;
  cancel_requested: unknown;
  created: unknown;
  updated: unknown;
  run_after: unknown;
  worker: string | null;
  lease_until: unknown;
}

/** The table as release 0.2 has it. */
const queue: SchemaStep = {
  replaces: ['001-queue'],
  async up(schema, { columns: column }) {
    await schema.schema.createTable(table, (columns) => {
      // The order of jobs that were added at the same time.
      columns.increments('seq');
      column.text(columns, 'id').notNullable().unique();
      column.text(columns, 'kind').notNullable();
      column.json(columns, 'payload').notNullable();
      column.text(columns, 'owner').notNullable();
      column.text(columns, 'state').notNullable();
      columns.integer('attempts').notNullable();
      columns.double('progress').notNullable();
      column.text(columns, 'error');
      column.json(columns, 'result');
      columns.boolean('cancel_requested').notNullable();
      column.time(columns, 'created').notNullable();
      column.time(columns, 'updated').notNullable();
      column.time(columns, 'run_after').notNullable();
      column.text(columns, 'worker');
      column.time(columns, 'lease_until');
      column.text(columns, 'live_key');
      columns.integer('crashes').notNullable().defaultTo(0);
      columns.index(['owner', 'created']);
    });
    await schema.raw(`create index jobs_queue_live on ${table} (created, seq) where ${live}`);
    await schema.raw(`create unique index jobs_queue_live_key on ${table} (live_key) where ${live}`);
  },
  async down(schema) {
    await schema.schema.dropTable(table);
  },
};

export const migrations = { '002-crashes': queue };

export function rowOf(
  job: NewJob,
  values: Engine['values'],
): Omit<JobRow, 'error' | 'result' | 'worker' | 'lease_until'> & {
  live_key: string | null;
} {
  return {
    id: job.id,
    kind: job.kind,
    payload: values.json(job.payload),
    owner: job.owner,
    state: 'queued',
    attempts: 0,
    crashes: 0,
    progress: 0,
    cancel_requested: values.boolean(false),
    created: values.time(job.created),
    updated: values.time(job.created),
    run_after: values.time(job.runAfter),
    live_key: job.key ?? null,
  };
}

/** How jobs are read. A job with a damaged row is returned as `damaged`; see `Job`. */
export const jobRows: StoredRows<JobRow, Job> = {
  table,
  key: 'id',
  columns,
  read(values, row) {
    const job: Job = {
      id: row.id,
      kind: row.kind,
      payload: values.parseJson(row.payload) as Json,
      owner: row.owner,
      state: row.state,
      attempts: row.attempts,
      crashes: row.crashes,
      progress: row.progress,
      cancelRequested: values.parseBoolean(row.cancel_requested),
      created: values.parseTime(row.created),
      updated: values.parseTime(row.updated),
      runAfter: values.parseTime(row.run_after),
    };
    intact(jobStates.includes(row.state));
    if (row.error !== null) job.error = row.error;
    if (row.result !== null) job.result = values.parseJson(row.result) as Json;
    if (row.worker !== null) job.worker = row.worker;
    if (row.lease_until !== null) job.leaseUntil = values.parseTime(row.lease_until);
    return job;
  },
};

/** Unreadable times, counters and states become the earliest time, 0 and `failed`. */
function damagedJob(values: Engine['values'], row: JobRow): Job {
  const time = (value: unknown): Date => {
    try {
      return values.parseTime(value);
    } catch {
      return new Date(0);
    }
  };
  const number = (value: unknown) => (typeof value === 'number' ? value : 0);
  return {
    id: String(row.id),
    kind: String(row.kind),
    payload: null,
    owner: String(row.owner),
    state: jobStates.includes(row.state) ? row.state : 'failed',
    attempts: number(row.attempts),
    crashes: number(row.crashes),
    progress: number(row.progress),
    error: typeof row.error === 'string' ? row.error : 'What is stored of this job cannot be read any more',
    cancelRequested: values.parseBoolean(row.cancel_requested),
    created: time(row.created),
    updated: time(row.updated),
    runAfter: time(row.run_after),
    ...(typeof row.worker === 'string' ? { worker: row.worker } : {}),
    ...(row.lease_until === null ? {} : { leaseUntil: time(row.lease_until) }),
    damaged: true,
  };
}

export function jobOf(row: JobRow, database: Pick<Database, 'engine' | 'log'>): Job {
  return readRow(database, jobRows, row) ?? damagedJob(database.engine.values, row);
}
