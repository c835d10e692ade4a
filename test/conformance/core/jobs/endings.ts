/** How a job finishes, fails, is retried or is cancelled; at most one queued or running job for each key. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { JobRepository } from '../../../../core/jobs/contract.js';
import { cases } from '../case.js';
import { faults, oddText, same } from '../expect.js';
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
      assert.equal(await repository.renew(other, 'worker-1', at(90), 0.25, at(4)), 'held');
      assert.equal(await repository.renew(asked, 'worker-1', at(90), 0, at(4)), 'cancel');
      assert.equal(await repository.cancel(waiting.id, at(5.678)), true);
      same((await found(repository, waiting.id)).updated, at(5.678));
      const { cancelRequested, progress } = await found(repository, other);
      same([cancelRequested, progress], [false, 0.25]);
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

const keys = 'while a job with a key is queued or running, no other is added, and that job is returned';

export const keyCases = cases<JobRepository>({
  [keys]: {
    async 'a key is unique among queued and running jobs'({ repository }) {
      const first = newJob({ key: 'load', payload: 1 });
      const added = await repository.enqueue(first);
      same(await repository.enqueue(newJob({ key: 'load', payload: 2, owner: 'other' })), added, 'while queued');
      const other = await repository.enqueue(newJob({ key: 'LOAD', kind: 'test.other' }));
      assert.notEqual(other.id, first.id, 'keys differ by case');
      const claimed = await repository.claim(claim(1));
      assert.equal(claimed?.id, first.id);
      same(await repository.enqueue(newJob({ key: 'load' })), claimed, 'while running');
      await repository.fail(first.id, 'worker-1', 'later', at(2), at(50));
      assert.equal((await repository.enqueue(newJob({ key: 'load' }))).id, first.id, 'while queued for a retry');
      same(await repository.count(), { queued: 2, running: 0, done: 0, failed: 0, cancelled: 0 });
    },
    async 'a key is free again once its job is over'({ repository, given }) {
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
    async 'a job whose key becomes free meanwhile is added'({ repository }) {
      for (let round = 0; round < 20; round++) {
        const { id } = await repository.enqueue(newJob({ key: 'again' }));
        const next = newJob({ key: 'again' });
        const [added] = await Promise.all([repository.enqueue(next), repository.cancel(id, at(1))]);
        assert.ok(added.id === id || added.id === next.id);
        await repository.cancel(next.id, at(2));
      }
    },
    async 'jobs without a key never replace each other'({ repository }) {
      const [one, two] = [newJob(), newJob()];
      assert.equal((await repository.enqueue(one)).id, one.id);
      assert.equal((await repository.enqueue(two)).id, two.id);
    },
    async 'concurrent additions of one key all return the same job'({ repository }) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => repository.enqueue(newJob({ key: 'once' }))));
      assert.equal(new Set(answers.map(({ id }) => id)).size, 1);
      assert.equal((await repository.count()).queued, 1);
    },
  },
  'enqueue throws `conflict` if the id exists': {
    async 'an id is that of one job, of which nothing changes'({ repository }) {
      const id = await running(repository, { key: 'load' });
      const before = await repository.find(id);
      await faults('conflict', repository.enqueue(newJob({ id, payload: 2 })));
      await faults('conflict', repository.enqueue(newJob({ id, key: 'other' })));
      same(await repository.find(id), before);
      assert.equal(await repository.finish(id, 'worker-1', null, at(2)), true);
      // Also of a job that is over.
      await faults('conflict', repository.enqueue(newJob({ id, key: 'load' })));
      const ids = await Promise.allSettled(
        [1, 2, 3].map((payload) => repository.enqueue(newJob({ id: oddText, payload }))),
      );
      same(ids.filter(({ status }) => status === 'fulfilled').length, 1);
      same((await repository.count()).queued, 1);
    },
  },
});
