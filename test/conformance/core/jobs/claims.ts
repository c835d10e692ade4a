/** Which claim returns which job, and when, and what only the holder of a lease may do. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type JobRepository, jobs } from '../../../../core/jobs/contract.js';
import { type Case, cases } from '../case.js';
import { same } from '../expect.js';
import { at, claim, found, newJob, running, shows, unchanged, verbsOf } from './build.js';

const claiming = 'claim claims the oldest job that is due; two claims never return the same job';
const due = 'a job is due if it is queued with runAfter not after now, or running with a lease that ended';

async function claimTogether(...repositories: [JobRepository, JobRepository]): Promise<void> {
  const added = Array.from({ length: 12 }, (_, i) => newJob({ created: at(i / 100) }));
  for (const job of added) await repositories[0].enqueue(job);
  const claims = Array.from({ length: 30 }, async (_, i) => {
    const job = await (repositories[i % 2] as JobRepository).claim(claim(5, { worker: `worker-${i}` }));
    if (job) assert.equal(job.worker, `worker-${i}`, 'the job names its own claimer');
    return job ? [job.id] : [];
  });
  same((await Promise.all(claims)).flat().sort(), added.map(({ id }) => id).sort(), 'each job exactly once');
}

export const claimCases: readonly Case<JobRepository>[] = [
  ...cases<JobRepository>({
    'claim sets running, worker and lease, and adds one to attempts': {
      async 'a claim sets running, worker, lease and attempts'({ repository }) {
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
    [claiming]: {
      async 'the oldest due job is claimed first'({ repository }) {
        const order = [3, 0, 4, 1, 2];
        const added = order.map((second) => newJob({ created: at(second) }));
        await repository.enqueue(newJob({ created: at(9), runAfter: at(50) }));
        for (const job of added) await repository.enqueue(job);
        const expected = added.toSorted((a, b) => a.created.getTime() - b.created.getTime()).map(({ id }) => id);
        const claimed: (string | undefined)[] = [];
        for (let i = 0; i < order.length; i++) claimed.push((await repository.claim(claim(10)))?.id);
        same(claimed, expected);
        assert.equal(await repository.claim(claim(10)), undefined, 'then none is left');
        // One that was added before the others, and waits; the leases of the others are over.
        same((await repository.claim(claim(100)))?.id, expected[0]);
      },
      'concurrent claims never return the same job': ({ repository }) => claimTogether(repository, repository),
      async 'of several claims of a job whose lease ended, one succeeds'({ repository }) {
        await running(repository);
        const claims = await Promise.all(
          Array.from({ length: 10 }, (_, i) => repository.claim(claim(100, { worker: `heir-${i}` }))),
        );
        assert.equal(claims.filter((job) => job !== undefined).length, 1);
      },
    },
    'claim: of the same time, the one that was added earlier is the older': {
      async 'of due jobs of the same time the one that was added first is claimed first'({ repository }) {
        // Ids and times of their own in no order.
        const added = [4, 1, 3, 0, 2].map((n) => newJob({ id: `job ${n}`, runAfter: at(n) }));
        for (const job of added) await repository.enqueue(job);
        const first = await repository.claim(claim(10, { leaseUntil: at(20) }));
        same(first?.id, 'job 4');
        same((await repository.claim(claim(11)))?.id, 'job 1');
        same((await repository.claim(claim(30)))?.id, 'job 4', 'its lease ended');
        same((await repository.claim(claim(31)))?.id, 'job 3');
      },
    },
    [due]: {
      async 'a job is not claimed before its time'({ repository }) {
        const job = newJob({ runAfter: at(10) });
        await repository.enqueue(job);
        assert.equal(await repository.claim(claim(9.999)), undefined, 'a millisecond early');
        assert.equal((await repository.claim(claim(10)))?.id, job.id, 'at exactly that time');
      },
      async 'a job that is not due does not hold up the next one'({ repository }) {
        await repository.enqueue(newJob({ created: at(0), runAfter: at(1000) }));
        const next = newJob({ created: at(1), runAfter: at(2) });
        await repository.enqueue(next);
        assert.equal((await repository.claim(claim(3)))?.id, next.id);
      },
      async 'a running job is not claimed while its lease holds'({ repository }) {
        const id = await running(repository);
        assert.equal(await repository.claim(claim(60.999, { worker: 'worker-2' })), undefined);
        assert.equal((await found(repository, id)).worker, 'worker-1');
      },
      async 'a job whose lease ended is claimed again'({ repository }) {
        const id = await running(repository);
        const taken = await repository.claim(claim(62, { worker: 'worker-2' }));
        assert.equal(taken?.id, id);
        same(
          { worker: taken.worker, attempts: taken.attempts, state: taken.state, leaseUntil: taken.leaseUntil },
          { worker: 'worker-2', attempts: 2, state: 'running', leaseUntil: at(122) },
        );
      },
    },
    'claim: only jobs of these kinds; an empty list claims nothing': {
      async 'only jobs of the given kinds are claimed'({ repository }) {
        const [a, b] = [newJob({ kind: 'test.a', created: at(0) }), newJob({ kind: 'test.b', created: at(1) })];
        await repository.enqueue(a);
        await repository.enqueue(b);
        assert.equal(await repository.claim(claim(5, { kinds: [] })), undefined);
        assert.equal(await repository.claim(claim(5, { kinds: ['test', 'test.', 'TEST.A', 'test.%'] })), undefined);
        assert.equal((await repository.claim(claim(5, { kinds: ['test.c', 'test.b'] })))?.id, b.id);
        const many = Array.from({ length: 40_000 }, (_, i) => `test.kind-${i}`);
        assert.equal((await repository.claim(claim(5, { kinds: [...many, 'test.a'] })))?.id, a.id);
        // Both leases are over.
        assert.equal(await repository.claim(claim(90, { kinds: ['test.c', 'TEST.A'] })), undefined);
        assert.equal((await repository.claim(claim(90, { kinds: ['test.b'] })))?.id, b.id);
      },
    },
    'claim adds one to crashes if a lease had ended': {
      async 'only a lease that ended counts as a crash'({ repository, given }) {
        const id = await running(repository);
        const seen = async (second: number) => {
          given('second', second);
          const job = await repository.claim(claim(second));
          return [job?.attempts, job?.crashes];
        };
        same([(await found(repository, id)).attempts, (await found(repository, id)).crashes], [1, 0]);
        same(await seen(62), [2, 1], 'its worker was killed');
        assert.equal(await repository.fail(id, 'worker-1', 'no', at(63), at(64)), true);
        same(await seen(64), [3, 1], 'its handler failed');
        assert.equal(await repository.release(id, 'worker-1', at(65)), true);
        same((await found(repository, id)).crashes, 1, 'its worker shut down');
        same(await seen(66), [3, 1]);
        same(await seen(200), [4, 2], 'its worker was killed again');
        assert.equal(await repository.finish(id, 'worker-1', null, at(201)), true);
        same((await found(repository, id)).crashes, 2);
      },
    },
  }),
  {
    name: 'concurrent claims of several processes never return the same job',
    promise: claiming,
    needs: 'concurrentWriters',
    run: async ({ repository, again }) => claimTogether(repository, (await again()).repository(jobs)),
  },
];

export const leaseCases = cases<JobRepository>({
  'every verb of a worker returns false (lost) once another worker holds the lease': {
    async 'a worker that lost the lease cannot change the job'({ repository }) {
      const id = await running(repository);
      await repository.claim(claim(62, { worker: 'worker-2' }));
      for (const { verb, call, answer } of verbsOf(repository, id, 'worker-1', at(63))) {
        await unchanged(repository, id, answer, call(), verb);
      }
      assert.equal(await repository.finish(id, 'worker-2', 'right', at(64)), true, 'the new holder can');
    },
    async 'no worker can change a job that is not running'({ repository, given }) {
      const queued = newJob({ kind: 'test.other' });
      await repository.enqueue(queued);
      const done = await running(repository);
      await repository.finish(done, 'worker-1', null, at(2));
      for (const id of [queued.id, done]) {
        given('state', (await found(repository, id)).state);
        for (const { verb, call, answer } of verbsOf(repository, id, 'worker-1', at(3))) {
          await unchanged(repository, id, answer, call(), verb);
        }
      }
      for (const { verb, call, answer } of verbsOf(repository, randomUUID(), 'worker-1', at(3))) {
        assert.equal(await call(), answer, verb);
      }
    },
    async 'a worker keeps a lease that ended until another worker claims the job'({ repository }) {
      const id = await running(repository);
      assert.equal(await repository.renew(id, 'worker-1', at(200), 0.5, at(100)), 'held');
      assert.equal(await repository.claim(claim(150, { worker: 'worker-2' })), undefined);
      assert.equal(await repository.finish(id, 'worker-1', null, at(300)), true);
    },
  },
  'renew extends the lease and records progress (0–1)': {
    async 'a renewal extends the lease and records progress'({ repository }) {
      await repository.cancel(await running(repository, { kind: 'test.other' }), at(40));
      const id = await running(repository);
      for (const progress of [0, 0.25, 1 / 3, 0.999, 1]) {
        assert.equal(await repository.renew(id, 'worker-1', at(100 + progress), progress, at(50)), 'held');
        await shows(repository, id, { leaseUntil: at(100 + progress), progress, updated: at(50), state: 'running' });
      }
      assert.equal(await repository.claim(claim(99, { worker: 'worker-2' })), undefined, 'the longer lease holds');
    },
  },
  'a lease has ended once leaseUntil is before now': {
    async 'a lease still holds at leaseUntil itself'({ repository }) {
      const id = await running(repository);
      const { leaseUntil } = await found(repository, id);
      assert.ok(leaseUntil, 'a running job has a lease');
      const after = (milliseconds: number) => new Date(leaseUntil.getTime() + milliseconds);
      const other = (now: Date) =>
        repository.claim({ ...claim(0, { worker: 'worker-2' }), now, leaseUntil: after(900) });
      assert.equal(await other(after(-1)), undefined);
      assert.equal(await other(after(0)), undefined, 'at leaseUntil the lease still holds');
      assert.equal((await other(after(1)))?.id, id);
    },
  },
});
