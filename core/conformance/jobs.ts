/** What jobs@1 promises (core/jobs/contract.ts). */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Claim, type Job, type JobRepository, type Json, jobs, type NewJob } from '../jobs/contract.js';
import type { Case } from './case.js';
import { same } from './expect.js';

/** A moment of the cases' own clock, in seconds with milliseconds. */
export function at(seconds: number): Date {
  return new Date(Date.UTC(2026, 0, 15, 8, 0, 0, 0) + Math.round(seconds * 1000));
}

/** A job that is due from second 0 on. */
export function newJob(fields: Partial<NewJob> = {}): NewJob {
  const created = fields.created ?? at(0);
  return { id: randomUUID(), kind: 'test.work', payload: null, owner: 'erna', created, runAfter: created, ...fields };
}

function claim(now: number, fields: Partial<Claim> = {}): Claim {
  return { kinds: ['test.work'], worker: 'worker-1', now: at(now), leaseUntil: at(now + 60), ...fields };
}

/** Adds a job and claims it at second 1 for `worker-1`, with a lease until second 61. */
async function running(repository: JobRepository, fields: Partial<NewJob> = {}): Promise<string> {
  const { id } = await repository.enqueue(newJob(fields));
  const claimed = await repository.claim(claim(1, { kinds: [fields.kind ?? 'test.work'] }));
  assert.equal(claimed?.id, id, 'the job that was just added is claimed');
  return id;
}

async function found(repository: JobRepository, id: string): Promise<Job> {
  const job = await repository.find(id);
  assert.ok(job, 'the job is there');
  return job;
}

/** Asserts that a verb answers what it should and leaves the job as it was. */
async function unchanged(repository: JobRepository, id: string, answer: unknown, verb: Promise<unknown>, why: string) {
  const before = await found(repository, id);
  assert.deepStrictEqual(await verb, answer, why);
  same(await repository.find(id), before, `${why}: the job is as it was`);
}

const payloads: readonly Json[] = [
  null,
  true,
  0,
  -1.5,
  0.1 + 0.2,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  1e300,
  5e-324,
  '',
  'null',
  '42',
  '2026-01-15T08:00:00.000Z',
  'O\'Neill "x" \\ % _ ? ?? $1 :name \n\t\r',
  'Ærøskøbing 染色体 🧬 e\u0301 \u2028 \uffff',
  [],
  {},
  [[], [null], { a: [] }],
  { dataset: 'ds-1', files: ['a.vcf.gz', 'b.vcf'], panel: null, nested: { deep: [{ deeper: [1, '1', true, null] }] } },
  { '': 'empty key', 'a.b': 1, ключ: 2, constructor: 'own key', '0': 'number as key' },
];

const claiming = 'claim takes the oldest job that is due; two claimers never get the same job';
const due = 'due is what is queued with runAfter not after now, or running with a lease that ended';
const leases = 'every verb that a worker calls answers false (lost) once the lease has gone to another';
const keys = 'while a job with a key is queued or running, another is not added; that one is answered';
const roundTrip = 'a job comes back as it went in';
const joins = 'jobs join the transaction in which they are written';
const cancelling = 'cancel: queued → cancelled; running → cancelRequested; false where it is neither';

export const jobCases: readonly Case<JobRepository>[] = [
  {
    name: 'a new job is queued, as it was given',
    promise: 'enqueue adds a job in state queued',
    async run({ repository }) {
      const job = newJob({ payload: { file: 'a.vcf' }, runAfter: at(30), owner: 'cli' });
      const expected = {
        ...job,
        state: 'queued',
        attempts: 0,
        progress: 0,
        cancelRequested: false,
        updated: job.created,
      };
      same(await repository.enqueue(job), expected);
      same(await repository.find(job.id), expected);
    },
  },
  {
    name: 'a job that does not exist is undefined',
    promise: 'absent is undefined, never null',
    async run({ repository }) {
      assert.equal(await repository.find(randomUUID()), undefined);
      assert.equal(await repository.find('not even a UUID'), undefined);
      assert.equal(await repository.claim(claim(0)), undefined);
    },
  },
  {
    name: 'payloads keep their types',
    promise: roundTrip,
    async run({ repository, given }) {
      for (const payload of payloads) {
        given('payload', payload);
        const job = newJob({ payload, kind: 'test.payload' });
        assert.deepStrictEqual((await repository.enqueue(job)).payload, payload, 'in the answer of enqueue');
        assert.deepStrictEqual((await repository.find(job.id))?.payload, payload, 'in the answer of find');
        const claimed = await repository.claim(claim(1, { kinds: ['test.payload'] }));
        assert.deepStrictEqual(claimed?.payload, payload, 'in the answer of claim');
      }
    },
  },
  {
    name: 'results keep their types',
    promise: 'finish stores what the handler answered',
    async run({ repository, given }) {
      for (const result of payloads) {
        given('result', result);
        const id = await running(repository);
        assert.equal(await repository.finish(id, 'worker-1', result, at(2)), true);
        assert.deepStrictEqual((await repository.find(id))?.result, result);
      }
    },
  },
  {
    name: 'a large payload is kept whole',
    promise: roundTrip,
    async run({ repository }) {
      const payload = { samples: Array.from({ length: 20_000 }, (_, i) => `sample-${i}`) };
      const job = newJob({ payload });
      await repository.enqueue(job);
      assert.deepStrictEqual((await repository.find(job.id))?.payload, payload);
    },
  },
  {
    name: 'text of jobs is kept as it is',
    promise: roundTrip,
    async run({ repository }) {
      const owner = 'Åse "O\'Neill" \\ % _ 🧬 ?';
      const job = newJob({ owner, key: `key of ${owner}`, kind: 'test.work-ø' });
      await repository.enqueue(job);
      const claimed = await repository.claim(claim(1, { kinds: [job.kind], worker: `worker of ${owner}` }));
      assert.equal(claimed?.owner, owner);
      assert.equal(claimed.kind, job.kind);
      assert.equal(claimed.worker, `worker of ${owner}`);
      assert.equal(await repository.fail(job.id, `worker of ${owner}`, `error of ${owner}`, at(2)), true);
      assert.equal((await found(repository, job.id)).error, `error of ${owner}`);
    },
  },
  {
    name: 'times of jobs are kept to the millisecond',
    promise: 'a time comes back as the Date that went in',
    async run({ repository, given }) {
      for (const milliseconds of [1, 10, 123, 999]) {
        const time = (seconds: number) => at(seconds + milliseconds / 1000);
        given('milliseconds', milliseconds);
        const job = newJob({ created: time(0), runAfter: time(1) });
        await repository.enqueue(job);
        await repository.claim(claim(0, { now: time(2), leaseUntil: time(62) }));
        const { created, runAfter, updated, leaseUntil } = await found(repository, job.id);
        same(
          { created, runAfter, updated, leaseUntil },
          { created: time(0), runAfter: time(1), updated: time(2), leaseUntil: time(62) },
        );
        assert.equal(await repository.finish(job.id, 'worker-1', null, time(3)), true);
        same((await found(repository, job.id)).updated, time(3));
      }
    },
  },
  {
    name: 'a claim sets running, worker, lease and attempts',
    promise: 'claim sets running, worker and lease, and adds one to attempts',
    async run({ repository }) {
      const job = newJob();
      const added = await repository.enqueue(job);
      const claimed = await repository.claim(claim(5, { worker: 'w', leaseUntil: at(35) }));
      const expected = {
        ...added,
        state: 'running',
        worker: 'w',
        leaseUntil: at(35),
        attempts: 1,
        updated: at(5),
      };
      same(claimed, expected);
      same(await repository.find(job.id), expected);
    },
  },
  {
    name: 'the oldest due job is claimed first',
    promise: claiming,
    async run({ repository }) {
      const order = [3, 0, 4, 1, 2];
      const added = order.map((second) => newJob({ created: at(second) }));
      for (const job of added) await repository.enqueue(job);
      const expected = added.toSorted((a, b) => a.created.getTime() - b.created.getTime()).map(({ id }) => id);
      const claimed: (string | undefined)[] = [];
      for (let i = 0; i < order.length; i++) claimed.push((await repository.claim(claim(10)))?.id);
      same(claimed, expected);
      assert.equal(await repository.claim(claim(10)), undefined, 'then there is none left');
    },
  },
  {
    name: 'a job is not claimed before its time',
    promise: due,
    async run({ repository }) {
      const job = newJob({ runAfter: at(10) });
      await repository.enqueue(job);
      assert.equal(await repository.claim(claim(9.999)), undefined, 'a millisecond early');
      assert.equal((await repository.claim(claim(10)))?.id, job.id, 'at the very time');
    },
  },
  {
    name: 'a job that is not due does not hold up the next one',
    promise: due,
    async run({ repository }) {
      await repository.enqueue(newJob({ created: at(0), runAfter: at(1000) }));
      const next = newJob({ created: at(1), runAfter: at(2) });
      await repository.enqueue(next);
      assert.equal((await repository.claim(claim(3)))?.id, next.id);
    },
  },
  {
    name: 'only the kinds that are asked for are claimed',
    promise: 'claim: only jobs of these kinds; an empty list claims nothing',
    async run({ repository }) {
      const [a, b] = [newJob({ kind: 'test.a', created: at(0) }), newJob({ kind: 'test.b', created: at(1) })];
      await repository.enqueue(a);
      await repository.enqueue(b);
      assert.equal(await repository.claim(claim(5, { kinds: [] })), undefined);
      assert.equal(await repository.claim(claim(5, { kinds: ['test', 'test.', 'TEST.A', 'test.%'] })), undefined);
      assert.equal((await repository.claim(claim(5, { kinds: ['test.c', 'test.b'] })))?.id, b.id);
      const many = Array.from({ length: 40_000 }, (_, i) => `test.kind-${i}`);
      assert.equal((await repository.claim(claim(5, { kinds: [...many, 'test.a'] })))?.id, a.id);
    },
  },
  {
    name: 'of many claimers at once none gets the job of another',
    promise: claiming,
    async run({ repository }) {
      const added = Array.from({ length: 12 }, (_, i) => newJob({ created: at(i / 100) }));
      for (const job of added) await repository.enqueue(job);
      const claims = await Promise.all(
        Array.from({ length: 30 }, async (_, i) => ({
          worker: `worker-${i}`,
          job: await repository.claim(claim(5, { worker: `worker-${i}` })),
        })),
      );
      const got = claims.flatMap(({ worker, job }) => {
        if (job) assert.equal(job.worker, worker, 'the answer names its own claimer');
        return job ? [job.id] : [];
      });
      same(got.sort(), added.map(({ id }) => id).sort(), 'each job exactly once');
    },
  },
  {
    name: 'of many claimers in several processes none gets the job of another',
    promise: claiming,
    needs: 'concurrentWriters',
    async run({ repository, again }) {
      const other = (await again()).repository(jobs);
      const added = Array.from({ length: 12 }, (_, i) => newJob({ created: at(i / 100) }));
      for (const job of added) await repository.enqueue(job);
      const claims = await Promise.all(
        Array.from({ length: 30 }, (_, i) => (i % 2 ? repository : other).claim(claim(5, { worker: `worker-${i}` }))),
      );
      same(
        claims.flatMap((job) => (job ? [job.id] : [])).sort(),
        added.map(({ id }) => id).sort(),
        'each job exactly once',
      );
    },
  },
  {
    name: 'a running job is not claimed while its lease lasts',
    promise: due,
    async run({ repository }) {
      const id = await running(repository);
      assert.equal(await repository.claim(claim(60.999, { worker: 'worker-2' })), undefined);
      assert.equal((await found(repository, id)).worker, 'worker-1');
    },
  },
  {
    name: 'a job whose lease ended is taken over',
    promise: due,
    async run({ repository }) {
      const id = await running(repository);
      const taken = await repository.claim(claim(62, { worker: 'worker-2' }));
      assert.equal(taken?.id, id);
      same(
        { worker: taken.worker, attempts: taken.attempts, state: taken.state, leaseUntil: taken.leaseUntil },
        { worker: 'worker-2', attempts: 2, state: 'running', leaseUntil: at(122) },
      );
    },
  },
  {
    name: 'of many who would take over one job, one does',
    promise: claiming,
    async run({ repository }) {
      await running(repository);
      const claims = await Promise.all(
        Array.from({ length: 10 }, (_, i) => repository.claim(claim(100, { worker: `heir-${i}` }))),
      );
      assert.equal(claims.filter((job) => job !== undefined).length, 1);
    },
  },
  {
    name: 'who lost the lease can no longer do anything to the job',
    promise: leases,
    async run({ repository, given }) {
      const id = await running(repository);
      await repository.claim(claim(62, { worker: 'worker-2' }));
      const verbs: Record<string, () => Promise<unknown>> = {
        finish: () => repository.finish(id, 'worker-1', 'late', at(63)),
        fail: () => repository.fail(id, 'worker-1', 'late', at(63)),
        'fail with retryAt': () => repository.fail(id, 'worker-1', 'late', at(63), at(70)),
        release: () => repository.release(id, 'worker-1', at(63)),
        cancelled: () => repository.cancelled(id, 'worker-1', at(63)),
      };
      for (const [verb, call] of Object.entries(verbs)) {
        given('verb', verb);
        await unchanged(repository, id, false, call(), verb);
      }
      given('verb', 'renew');
      await unchanged(repository, id, 'lost', repository.renew(id, 'worker-1', at(900), 0.9, at(63)), 'renew');
      assert.equal(await repository.finish(id, 'worker-2', 'right', at(64)), true, 'its new holder can');
    },
  },
  {
    name: 'nobody works on a job that is not running',
    promise: leases,
    async run({ repository, given }) {
      const queued = newJob({ kind: 'test.other' });
      await repository.enqueue(queued);
      const done = await running(repository);
      await repository.finish(done, 'worker-1', null, at(2));
      for (const id of [queued.id, done]) {
        given('state', (await found(repository, id)).state);
        await unchanged(repository, id, false, repository.finish(id, 'worker-1', 1, at(3)), 'finish');
        await unchanged(repository, id, false, repository.fail(id, 'worker-1', 'e', at(3)), 'fail');
        await unchanged(repository, id, false, repository.release(id, 'worker-1', at(3)), 'release');
        await unchanged(repository, id, false, repository.cancelled(id, 'worker-1', at(3)), 'cancelled');
        await unchanged(repository, id, 'lost', repository.renew(id, 'worker-1', at(99), 0.5, at(3)), 'renew');
      }
      const nowhere = randomUUID();
      assert.equal(await repository.finish(nowhere, 'worker-1', null, at(3)), false);
      assert.equal(await repository.fail(nowhere, 'worker-1', 'e', at(3)), false);
      assert.equal(await repository.release(nowhere, 'worker-1', at(3)), false);
      assert.equal(await repository.cancelled(nowhere, 'worker-1', at(3)), false);
      assert.equal(await repository.renew(nowhere, 'worker-1', at(9), 0, at(3)), 'lost');
    },
  },
  {
    name: 'a renewal prolongs the lease and notes progress',
    promise: 'renew prolongs the lease and notes progress (0–1)',
    async run({ repository, given }) {
      const id = await running(repository);
      for (const progress of [0, 0.25, 1 / 3, 0.999, 1]) {
        given('progress', progress);
        assert.equal(await repository.renew(id, 'worker-1', at(100 + progress), progress, at(50)), 'held');
        const job = await found(repository, id);
        same(
          { leaseUntil: job.leaseUntil, progress: job.progress, updated: job.updated, state: job.state },
          { leaseUntil: at(100 + progress), progress, updated: at(50), state: 'running' },
        );
      }
      assert.equal(await repository.claim(claim(99, { worker: 'worker-2' })), undefined, 'the longer lease holds');
    },
  },
  {
    name: "a lease that ended and went to nobody is still its worker's",
    promise: leases,
    async run({ repository }) {
      const id = await running(repository);
      assert.equal(await repository.renew(id, 'worker-1', at(200), 0.5, at(100)), 'held');
      assert.equal(await repository.claim(claim(150, { worker: 'worker-2' })), undefined);
      assert.equal(await repository.finish(id, 'worker-1', null, at(300)), true);
    },
  },
  {
    name: 'a finished job is done, with its result',
    promise: "finish: running → done, with the handler's answer; progress becomes 1",
    async run({ repository }) {
      const id = await running(repository);
      await repository.renew(id, 'worker-1', at(100), 0.3, at(2));
      assert.equal(await repository.finish(id, 'worker-1', { alleles: 408 }, at(9)), true);
      const { state, progress, result, worker, leaseUntil, updated, attempts } = await found(repository, id);
      same(
        { state, progress, result, worker, leaseUntil, updated, attempts },
        { state: 'done', progress: 1, result: { alleles: 408 }, updated: at(9), attempts: 1 },
      );
      assert.equal(await repository.claim(claim(1000)), undefined, 'and never claimed again');
    },
  },
  {
    name: 'a job fails for good without retryAt',
    promise: 'fail: running → failed, or back to queued when retryAt is given',
    async run({ repository }) {
      const id = await running(repository);
      assert.equal(await repository.fail(id, 'worker-1', 'The file is not there.', at(9)), true);
      const { state, error, worker, leaseUntil, updated, result } = await found(repository, id);
      same(
        { state, error, worker, leaseUntil, updated, result },
        { state: 'failed', error: 'The file is not there.', updated: at(9) },
      );
      assert.equal(await repository.claim(claim(1000)), undefined, 'and is never claimed again');
    },
  },
  {
    name: 'a job that failed is tried again at its time',
    promise: 'fail: running → failed, or back to queued when retryAt is given',
    async run({ repository }) {
      const id = await running(repository);
      assert.equal(await repository.fail(id, 'worker-1', 'The peer did not answer.', at(9), at(30)), true);
      const { state, error, worker, leaseUntil, attempts, runAfter } = await found(repository, id);
      same(
        { state, error, worker, leaseUntil, attempts, runAfter },
        { state: 'queued', error: 'The peer did not answer.', attempts: 1, runAfter: at(30) },
      );
      assert.equal(await repository.claim(claim(29.999)), undefined);
      assert.equal((await repository.claim(claim(30, { worker: 'worker-2' })))?.attempts, 2);
    },
  },
  {
    name: 'a released job is queued at once, its attempt not counted',
    promise: 'release: running → queued at once, the attempt not counted',
    async run({ repository }) {
      const id = await running(repository);
      assert.equal(await repository.release(id, 'worker-1', at(9)), true);
      const { state, attempts, worker, leaseUntil, updated } = await found(repository, id);
      same({ state, attempts, worker, leaseUntil, updated }, { state: 'queued', attempts: 0, updated: at(9) });
      const next = await repository.claim(claim(9, { worker: 'worker-2' }));
      assert.equal(next?.id, id);
      assert.equal(next.attempts, 1);
    },
  },
  {
    name: 'a queued job is cancelled at once',
    promise: cancelling,
    async run({ repository }) {
      const job = newJob();
      await repository.enqueue(job);
      assert.equal(await repository.cancel(job.id, at(4)), true);
      const { state, updated } = await found(repository, job.id);
      same({ state, updated }, { state: 'cancelled', updated: at(4) });
      assert.equal(await repository.claim(claim(1000)), undefined, 'and never claimed');
    },
  },
  {
    name: 'a running job learns at the next renewal that it shall stop',
    promise: cancelling,
    async run({ repository }) {
      const id = await running(repository);
      assert.equal(await repository.cancel(id, at(4)), true);
      const asked = await found(repository, id);
      same({ state: asked.state, cancelRequested: asked.cancelRequested }, { state: 'running', cancelRequested: true });
      assert.equal(await repository.renew(id, 'worker-1', at(100), 0.5, at(5)), 'cancel');
      assert.equal(await repository.cancelled(id, 'worker-1', at(6)), true);
      const { state, worker, leaseUntil, updated } = await found(repository, id);
      same({ state, worker, leaseUntil, updated }, { state: 'cancelled', updated: at(6) });
      assert.equal(await repository.claim(claim(1000)), undefined, 'and is never claimed again');
    },
  },
  {
    name: 'what is over cannot be cancelled',
    promise: cancelling,
    async run({ repository }) {
      const done = await running(repository);
      await repository.finish(done, 'worker-1', null, at(2));
      const failed = await running(repository);
      await repository.fail(failed, 'worker-1', 'no', at(2));
      const cancelled = await repository.enqueue(newJob());
      await repository.cancel(cancelled.id, at(2));
      for (const id of [done, failed, cancelled.id]) {
        await unchanged(repository, id, false, repository.cancel(id, at(9)), (await found(repository, id)).state);
      }
      assert.equal(await repository.cancel(randomUUID(), at(9)), false);
    },
  },
  {
    name: 'the wish to cancel outlives its worker',
    promise: cancelling,
    async run({ repository }) {
      const id = await running(repository);
      await repository.cancel(id, at(4));
      const heir = await repository.claim(claim(100, { worker: 'worker-2' }));
      assert.equal(heir?.id, id);
      assert.equal(heir.cancelRequested, true);
      assert.equal(await repository.renew(id, 'worker-2', at(200), 0, at(101)), 'cancel');
    },
  },
  {
    name: 'a key is unique among live jobs',
    promise: keys,
    async run({ repository }) {
      const first = newJob({ key: 'load', payload: 1 });
      const added = await repository.enqueue(first);
      same(await repository.enqueue(newJob({ key: 'load', payload: 2, owner: 'other' })), added, 'while queued');
      const other = await repository.enqueue(newJob({ key: 'LOAD', kind: 'test.other' }));
      assert.notEqual(other.id, first.id, 'keys differ by case');
      const claimed = await repository.claim(claim(1));
      assert.equal(claimed?.id, first.id);
      same(await repository.enqueue(newJob({ key: 'load' })), claimed, 'while running');
      await repository.fail(first.id, 'worker-1', 'later', at(2), at(50));
      assert.equal(
        (await repository.enqueue(newJob({ key: 'load' }))).id,
        first.id,
        'while queued for another attempt',
      );
      same(await repository.count(), { queued: 2, running: 0, done: 0, failed: 0, cancelled: 0 });
    },
  },
  {
    name: 'a key is free again once its job is over',
    promise: keys,
    async run({ repository, given }) {
      const endings: Record<string, (id: string) => Promise<boolean>> = {
        finish: (id) => repository.finish(id, 'worker-1', null, at(2)),
        fail: (id) => repository.fail(id, 'worker-1', 'no', at(2)),
        cancelled: (id) => repository.cancelled(id, 'worker-1', at(2)),
      };
      for (const [ending, end] of Object.entries(endings)) {
        given('ended by', ending);
        const id = await running(repository, { key: 'again' });
        assert.equal(await end(id), true);
        const next = newJob({ key: 'again', created: at(3) });
        assert.equal((await repository.enqueue(next)).id, next.id);
        assert.equal(await repository.cancel(next.id, at(4)), true);
      }
    },
  },
  {
    name: 'jobs without a key never stand in for each other',
    promise: keys,
    async run({ repository }) {
      const [one, two] = [newJob(), newJob()];
      assert.equal((await repository.enqueue(one)).id, one.id);
      assert.equal((await repository.enqueue(two)).id, two.id);
    },
  },
  {
    name: 'of many who add one key at once, all get the same job',
    promise: keys,
    async run({ repository }) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => repository.enqueue(newJob({ key: 'once' }))));
      assert.equal(new Set(answers.map(({ id }) => id)).size, 1);
      assert.equal((await repository.count()).queued, 1);
    },
  },
  {
    name: "an owner's jobs are listed newest first",
    promise: 'list answers the jobs of an owner, newest first, no more than the limit',
    async run({ repository }) {
      const added = [2, 0, 3, 1].map((second) => newJob({ created: at(second), owner: 'a', payload: second }));
      for (const job of added) await repository.enqueue(job);
      await repository.enqueue(newJob({ owner: 'A', created: at(9) }));
      const listed = async (owner: string, limit: number) =>
        (await repository.list(owner, limit)).map(({ payload }) => payload);
      same(await listed('a', 100), [3, 2, 1, 0]);
      same(await listed('a', 2), [3, 2]);
      same(await listed('a', 0), []);
      same(await listed('%', 100), []);
      same(await repository.list('a', 1), [await found(repository, added[2]?.id ?? '')]);
    },
  },
  {
    name: 'more than a thousand jobs are listed',
    promise: 'list answers the jobs of an owner, newest first, no more than the limit',
    async run({ storage, repository }) {
      await storage.transaction(async (scope) => {
        for (let i = 0; i < 1100; i++) await scope.repository(jobs).enqueue(newJob({ created: at(i), payload: i }));
      });
      const listed = (await repository.list('erna', 2000)).map(({ payload }) => payload);
      same(
        listed,
        Array.from({ length: 1100 }, (_, i) => 1099 - i),
      );
      assert.equal((await repository.count()).queued, 1100);
    },
  },
  {
    name: 'jobs that are over expire',
    promise: 'expire deletes done, failed and cancelled jobs last updated before the time; answers how many',
    async run({ repository }) {
      const live = await repository.enqueue(newJob({ kind: 'test.live' }));
      const held = await running(repository, { kind: 'test.held' });
      const done = await running(repository);
      await repository.finish(done, 'worker-1', null, at(10));
      const failed = await running(repository);
      await repository.fail(failed, 'worker-1', 'no', at(11));
      const cancelled = await repository.enqueue(newJob());
      await repository.cancel(cancelled.id, at(12));
      const recent = await running(repository);
      await repository.finish(recent, 'worker-1', null, at(20));

      assert.equal(await repository.expire(at(10)), 0, 'not what was updated at the very time');
      assert.equal(await repository.expire(at(20)), 3);
      assert.equal(await repository.expire(at(20)), 0);
      for (const id of [done, failed, cancelled.id]) assert.equal(await repository.find(id), undefined);
      for (const id of [live.id, held, recent]) assert.ok(await repository.find(id));
    },
  },
  {
    name: 'jobs are counted by state',
    promise: 'count answers how many jobs are in each state; absent states count 0',
    async run({ repository }) {
      same(await repository.count(), { queued: 0, running: 0, done: 0, failed: 0, cancelled: 0 });
      const done = await running(repository);
      await repository.finish(done, 'worker-1', null, at(2));
      await running(repository);
      for (let i = 0; i < 3; i++) await repository.enqueue(newJob({ kind: 'test.later' }));
      const cancelled = await repository.enqueue(newJob());
      await repository.cancel(cancelled.id, at(2));
      same(await repository.count(), { queued: 3, running: 1, done: 1, failed: 0, cancelled: 1 });
    },
  },
  {
    name: 'a job of a transaction that was rolled back does not exist',
    promise: joins,
    async run({ storage, repository }) {
      const job = newJob({ key: 'undone' });
      const failing = storage.transaction(async (scope) => {
        await scope.repository(jobs).enqueue(job);
        throw new Error('given up');
      });
      await assert.rejects(failing, /given up/);
      assert.equal(await repository.find(job.id), undefined);
      assert.equal(await repository.claim(claim(9)), undefined);
      const next = newJob({ key: 'undone' });
      assert.equal((await repository.enqueue(next)).id, next.id, 'nor does it hold its key');
    },
  },
  {
    name: 'a claim that was rolled back is not made',
    promise: joins,
    async run({ storage, repository }) {
      const added = await repository.enqueue(newJob());
      const failing = storage.transaction(async (scope) => {
        assert.equal((await scope.repository(jobs).claim(claim(1)))?.id, added.id);
        throw new Error('given up');
      });
      await assert.rejects(failing, /given up/);
      same(await repository.find(added.id), added);
    },
  },
  {
    name: 'what is done to a job that was answered is not done to the storage',
    promise: 'repositories take in and give out copies of plain data',
    async run({ repository }) {
      const payload = { files: ['a.vcf'] };
      const job = newJob({ payload: structuredClone(payload) });
      const answer = await repository.enqueue(job);
      for (const each of [job, answer, await found(repository, job.id)]) {
        (each.payload as typeof payload).files.push('b.vcf');
        each.created.setTime(0);
      }
      const stored = await found(repository, job.id);
      same({ payload: stored.payload, created: stored.created }, { payload, created: at(0) });
    },
  },
  {
    name: 'jobs survive closing and opening again',
    promise: 'a job whose worker dies is taken up again when its lease ends',
    needs: 'durable',
    async run({ storage, repository, again }) {
      const id = await running(repository, { payload: { file: 'a.vcf' }, key: 'load' });
      const before = await found(repository, id);
      await storage.close();
      const reopened = (await again()).repository(jobs);
      same(await reopened.find(id), before);
      assert.equal((await reopened.enqueue(newJob({ key: 'load' }))).id, id);
      const taken = await reopened.claim(claim(100, { worker: 'heir' }));
      same(taken?.payload, { file: 'a.vcf' });
      assert.equal(taken?.attempts, 2);
    },
  },
];
