/** Makes and reads jobs for the cases of jobs@1. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Claim, Job, JobRepository, NewJob } from '../../../../core/jobs/contract.js';
import { at, same } from '../expect.js';

export { at };

/** A job that is due from second 0. */
export function newJob(fields: Partial<NewJob> = {}): NewJob {
  const created = fields.created ?? at(0);
  return { id: randomUUID(), kind: 'test.work', payload: null, owner: 'erna', created, runAfter: created, ...fields };
}

export function claim(now: number, fields: Partial<Claim> = {}): Claim {
  return { kinds: ['test.work'], worker: 'worker-1', now: at(now), leaseUntil: at(now + 60), ...fields };
}

/** Adds a job and claims it at second 1 for `worker-1`, with a lease until second 61. */
export async function running(repository: JobRepository, fields: Partial<NewJob> = {}): Promise<string> {
  const { id } = await repository.enqueue(newJob(fields));
  const claimed = await repository.claim(claim(1, { kinds: [fields.kind ?? 'test.work'] }));
  assert.equal(claimed?.id, id, 'the job that was just added is claimed');
  return id;
}

/** Adds a job that is done, one that failed and one that was cancelled, at seconds 10, 11 and 12. */
export async function ended(repository: JobRepository, fields: Partial<NewJob> = {}): Promise<string[]> {
  const done = await running(repository, fields);
  await repository.finish(done, 'worker-1', null, at(10));
  const failed = await running(repository, fields);
  await repository.fail(failed, 'worker-1', 'no', at(11));
  const cancelled = await repository.enqueue(newJob(fields));
  await repository.cancel(cancelled.id, at(12));
  return [done, failed, cancelled.id];
}

/** Adds a queued job and a running one, which `running` does not claim. */
export async function live(repository: JobRepository): Promise<string[]> {
  const queued = await repository.enqueue(newJob({ kind: 'test.live' }));
  return [queued.id, await running(repository, { kind: 'test.held' })];
}

export async function found(repository: JobRepository, id: string): Promise<Job> {
  const job = await repository.find(id);
  assert.ok(job, 'the job is there');
  return job;
}

/** Asserts that the job has these values, absent ones included. */
export async function shows(repository: JobRepository, id: string, expected: Partial<Job>): Promise<void> {
  const job = await found(repository, id);
  same(Object.fromEntries(Object.keys(expected).map((name) => [name, job[name as keyof Job]])), expected);
}

/** Nobody works on it. */
export const free = { worker: undefined, leaseUntil: undefined } as unknown as Partial<Job>;

/** Asserts that a verb returns the expected value and leaves the job as it was. */
export async function unchanged(
  repository: JobRepository,
  id: string,
  answer: unknown,
  verb: Promise<unknown>,
  why: string,
) {
  const before = await found(repository, id);
  assert.deepStrictEqual(await verb, answer, why);
  same(await repository.find(id), before, `${why}: the job is as it was`);
}

/** What only the holder of a lease may do, by name, and what each returns to others. */
export function verbsOf(repository: JobRepository, id: string, worker: string, now: Date) {
  const verbs: Record<string, () => Promise<unknown>> = {
    finish: () => repository.finish(id, worker, 'late', now),
    fail: () => repository.fail(id, worker, 'late', now),
    'fail with retryAt': () => repository.fail(id, worker, 'late', now, now),
    release: () => repository.release(id, worker, now),
    cancelled: () => repository.cancelled(id, worker, now),
    renew: () => repository.renew(id, worker, at(900), 0.9, now),
  };
  return Object.entries(verbs).map(([verb, call]) => ({ verb, call, answer: verb === 'renew' ? 'lost' : false }));
}
