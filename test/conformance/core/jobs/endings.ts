/** How a job finishes, fails, is retried or is cancelled. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { JobRepository } from '../../../../core/jobs/contract.js';
import { cases } from '../case.js';
import { same } from '../expect.js';
import { at, claim, ended, found, free, newJob, running, shows, unchanged } from './build.js';

export const endingCases = cases<JobRepository>({
  "finish: running → done, with the handler's result; progress becomes 1": {
    async 'a finished job is done, with its result'({ repository }) {
      const id = await running(repository);
      await repository.renew(id, 'worker-1', at(100), 0.3, at(2));
      assert.equal(await repository.finish(id, 'worker-1', { alleles: 408 }, at(9)), true);
      const result = { alleles: 408 };
      await shows(repository, id, { ...free, state: 'done', progress: 1, result, updated: at(9), attempts: 1 });
      assert.equal(await repository.claim(claim(1000)), undefined, 'and never claimed again');
    },
  },
  'fail: running → failed, or back to queued if retryAt is given': {
    async 'a job fails for good without retryAt'({ repository }) {
      const id = await running(repository);
      assert.equal(await repository.fail(id, 'worker-1', 'The file is not there.', at(9)), true);
      await shows(repository, id, { ...free, state: 'failed', error: 'The file is not there.', updated: at(9) });
      same((await found(repository, id)).result, undefined);
      assert.equal(await repository.claim(claim(1000)), undefined, 'and is never claimed again');
    },
    async 'a job that failed is retried at retryAt'({ repository }) {
      const id = await running(repository);
      assert.equal(await repository.fail(id, 'worker-1', 'The peer did not answer.', at(9), at(30)), true);
      const error = 'The peer did not answer.';
      await shows(repository, id, { ...free, state: 'queued', error, attempts: 1, runAfter: at(30), updated: at(9) });
      assert.equal(await repository.claim(claim(29.999)), undefined);
      assert.equal((await repository.claim(claim(30, { worker: 'worker-2' })))?.attempts, 2);
    },
  },
  'release: running → queued at once, not counted as an attempt': {
    async 'a released job is queued at once and its attempt is not counted'({ repository }) {
      const id = await running(repository);
      assert.equal(await repository.release(id, 'worker-1', at(9)), true);
      await shows(repository, id, { ...free, state: 'queued', attempts: 0, updated: at(9) });
      const next = await repository.claim(claim(9, { worker: 'worker-2' }));
      assert.equal(next?.id, id);
      assert.equal(next.attempts, 1);
    },
  },
  'payload: null once the job has ended': {
    async 'a job that has ended has no payload any more'({ repository }) {
      const payload = { samples: ['sample-1'] };
      const key = 'the sample';
      const payloadOf = async (id: string) => (await found(repository, id)).payload;

      const retried = await running(repository, { payload, key });
      await repository.fail(retried, 'worker-1', 'later', at(2), at(3));
      same(await payloadOf(retried), payload);
      same((await repository.claim(claim(3)))?.payload, payload);
      await repository.release(retried, 'worker-1', at(4));
      same((await repository.claim(claim(5)))?.payload, payload);
      await repository.cancel(retried, at(6));
      same(await payloadOf(retried), payload, 'while it runs');
      await repository.cancelled(retried, 'worker-1', at(7));

      const others = await ended(repository, { payload, key });
      for (const id of [retried, ...others]) assert.equal(await payloadOf(id), null);
    },
  },
  'cancel: queued → cancelled; running → cancelRequested; false for a job in any other state': {
    async 'a queued job is cancelled at once'({ repository }) {
      const job = newJob();
      await repository.enqueue(job);
      assert.equal(await repository.cancel(job.id, at(4)), true);
      await shows(repository, job.id, { state: 'cancelled', updated: at(4) });
      assert.equal(await repository.claim(claim(1000)), undefined, 'and never claimed');
    },
    async 'a running job is told at the next renewal that it was cancelled'({ repository }) {
      const id = await running(repository);
      for (const second of [3, 4]) assert.equal(await repository.cancel(id, at(second)), true);
      await shows(repository, id, { state: 'running', cancelRequested: true });
      assert.equal(await repository.renew(id, 'worker-1', at(100), 0.5, at(5)), 'cancel');
      assert.equal(await repository.cancelled(id, 'worker-1', at(6)), true);
      await shows(repository, id, { ...free, state: 'cancelled', updated: at(6) });
      assert.equal(await repository.claim(claim(1000)), undefined, 'and is never claimed again');
    },
    async 'a job that is over cannot be cancelled'({ repository }) {
      for (const id of await ended(repository)) {
        await unchanged(repository, id, false, repository.cancel(id, at(20)), (await found(repository, id)).state);
      }
      assert.equal(await repository.cancel(randomUUID(), at(20)), false);
    },
    async 'a cancellation concerns one job'({ repository }) {
      const [asked, other] = [await running(repository), await running(repository)];
      const waiting = await repository.enqueue(newJob());
      assert.equal(await repository.cancel(asked, at(3.456)), true);
      same((await found(repository, asked)).updated, at(3.456));
      assert.equal(await repository.renew(other, 'worker-1', at(90), 0, at(4)), 'held');
      assert.equal(await repository.renew(asked, 'worker-1', at(90), 0, at(4)), 'cancel');
      assert.equal(await repository.cancel(waiting.id, at(5.678)), true);
      same((await found(repository, waiting.id)).updated, at(5.678));
      same((await found(repository, other)).cancelRequested, false);
      assert.equal(await repository.cancelled(asked, 'worker-1', at(6.789)), true);
      same((await found(repository, asked)).updated, at(6.789));
      // A handler that ends before it is told has ended.
      for (const state of ['done', 'failed'] as const) {
        const id = await running(repository);
        await repository.cancel(id, at(7));
        if (state === 'done') await repository.finish(id, 'worker-1', null, at(8));
        else await repository.fail(id, 'worker-1', 'no', at(8));
        same((await found(repository, id)).state, state);
      }
    },
    async 'a job that its worker gives back is cancelled all the same'({ repository }) {
      for (let round = 0; round < 20; round++) {
        const id = await running(repository);
        const release = repository.release(id, 'worker-1', at(5));
        const [cancelled] = await Promise.all([repository.cancel(id, at(4)), release]);
        assert.equal(cancelled, true);
        const { state, cancelRequested } = await found(repository, id);
        assert.ok(state === 'cancelled' || cancelRequested);
        await repository.cancel(id, at(6));
      }
    },
    async 'a requested cancellation outlives the worker'({ repository }) {
      const id = await running(repository);
      await repository.cancel(id, at(4));
      const heir = await repository.claim(claim(100, { worker: 'worker-2' }));
      assert.equal(heir?.id, id);
      assert.equal(heir.cancelRequested, true);
      assert.equal(await repository.renew(id, 'worker-2', at(200), 0, at(101)), 'cancel');
    },
  },
  'fail with retryAt and release: progress and the request to cancel it stay': {
    async 'progress and a requested cancellation outlive a retry and a release'({ repository }) {
      const id = await running(repository);
      await repository.renew(id, 'worker-1', at(90), 0.5, at(2));
      await repository.fail(id, 'worker-1', 'later', at(3), at(4));
      same((await found(repository, id)).progress, 0.5);
      same((await repository.claim(claim(5)))?.progress, 0.5);
      await repository.cancel(id, at(6));
      await repository.release(id, 'worker-1', at(7));
      await shows(repository, id, { state: 'queued', progress: 0.5, cancelRequested: true });
      await repository.claim(claim(8, { worker: 'worker-2' }));
      same(await repository.renew(id, 'worker-2', at(90), 0.75, at(9)), 'cancel');
      await repository.fail(id, 'worker-2', 'later', at(10), at(11));
      same((await found(repository, id)).cancelRequested, true);
      same(await repository.cancel(id, at(12)), true, 'it waits again, and is cancelled at once');
      same((await found(repository, id)).state, 'cancelled');
    },
  },
});
