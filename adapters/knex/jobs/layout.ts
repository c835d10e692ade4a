/** How jobs lie in their table. */
import type { Job, JobState, Json, NewJob } from '../../../core/jobs/contract.js';
import type { Engine, SchemaStep } from '../binding.js';

export const table = 'jobs_queue';

/** As text in statements, so that the partial indexes apply. */
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

const queue: SchemaStep = {
  async up(schema, { columns: column }) {
    await schema.schema.createTable(table, (columns) => {
      // The order in which jobs of one moment were added.
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
      columns.index(['owner', 'created']);
    });
    await schema.raw(`create index jobs_queue_live on ${table} (created, seq) where ${live}`);
    await schema.raw(`create unique index jobs_queue_live_key on ${table} (live_key) where ${live}`);
  },
  async down(schema) {
    await schema.schema.dropTable(table);
  },
};

const crashes: SchemaStep = {
  async up(schema) {
    await schema.raw(`alter table ${table} add column crashes integer not null default 0`);
  },
  async down(schema) {
    // Not Knex's own, which makes the table of SQLite anew and forgets the conditions of its indexes.
    await schema.raw(`alter table ${table} drop column crashes`);
  },
};

export const migrations = { '001-queue': queue, '002-crashes': crashes };

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

export function jobOf(row: JobRow, values: Engine['values']): Job {
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
  if (row.error !== null) job.error = row.error;
  if (row.result !== null) job.result = values.parseJson(row.result) as Json;
  if (row.worker !== null) job.worker = row.worker;
  if (row.lease_until !== null) job.leaseUntil = values.parseTime(row.lease_until);
  return job;
}
