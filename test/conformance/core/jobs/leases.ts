/** What only the holder of a lease may do. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { JobRepository } from '../../../../core/jobs/contract.js';
import { cases } from '../case.js';
import { at, claim, found, newJob, running, shows, unchanged, verbsOf } from './build.js';

export const leaseCases = cases<JobRepository>({
  'every verb of a worker returns false (lost) once another worker holds the lease': {
    async 'a worker that lost the lease cannot change the job'({ repository, given }) {
      const id = await running(repository);
      await repository.claim(claim(62, { worker: 'worker-2' }));
      for (const { verb, call, answer } of verbsOf(repository, id, 'worker-1', at(63))) {
        given('verb', verb);
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
    async 'a renewal extends the lease and records progress'({ repository, given }) {
      await repository.cancel(await running(repository, { kind: 'test.other' }), at(40));
      const id = await running(repository);
      for (const progress of [0, 0.25, 1 / 3, 0.999, 1]) {
        given('progress', progress);
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
