/** Listing, counting, expiry, transactions and durability. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type JobRepository, type JobSelection, jobs } from '../../../../core/jobs/contract.js';
import { type Case, cases } from '../case.js';
import { same, undone } from '../expect.js';
import { at, claim, ended, found, live, newJob, running } from './build.js';

const listed = 'jobs of an owner, in a state, or all are listed newest first, up to the limit';

export const listCases: readonly Case<JobRepository>[] = [
  ...cases<JobRepository>({
    [listed]: {
      async "an owner's jobs are listed newest first"({ repository }) {
        const added = [2, 0, 3, 1].map((second) => newJob({ created: at(second), owner: 'a', payload: second }));
        for (const job of added) await repository.enqueue(job);
        await repository.enqueue(newJob({ owner: 'A', created: at(9) }));
        const listed = async (owner: string, limit: number) =>
          (await repository.list({ owner, limit })).map(({ payload }) => payload);
        same(await listed('a', 100), [3, 2, 1, 0]);
        same(await listed('a', 2), [3, 2]);
        same(await listed('a', 0), []);
        same(await listed('%', 100), []);
        same(await repository.list({ owner: 'a', limit: 1 }), [await found(repository, added[2]?.id ?? '')]);
      },
      async 'of jobs of the same time the one that was added last is listed first'({ repository }) {
        for (const id of ['b', 'd', 'a', 'c']) await repository.enqueue(newJob({ id, owner: 'o' }));
        await repository.enqueue(newJob({ id: 'old', owner: 'o', created: at(-1) }));
        const expected = ['c', 'a', 'd', 'b', 'old'];
        for (const selection of [{}, { owner: 'o' }, { state: 'queued' }, { owner: 'o', state: 'queued' }] as const) {
          for (const limit of [2, 100]) {
            const ids = (await repository.list({ ...selection, limit })).map(({ id }) => id);
            same(ids, expected.slice(0, limit));
          }
        }
      },
      async 'jobs are listed by state, with and without an owner'({ repository }) {
        const failed: string[] = [];
        for (const [second, owner] of [
          [3, 'a'],
          [1, 'b'],
          [2, 'a'],
        ] as const) {
          const id = await running(repository, { owner, created: at(second), runAfter: at(0) });
          await repository.fail(id, 'worker-1', `reason ${second}`, at(9));
          failed.push(id);
        }
        const queued = await repository.enqueue(newJob({ owner: 'b', created: at(4) }));
        const ids = async (selection: Partial<JobSelection>) =>
          (await repository.list({ limit: 100, ...selection })).map(({ id }) => id);
        const [third, first, second] = failed;
        same(await ids({}), [queued.id, third, second, first]);
        same(await ids({ limit: 2 }), [queued.id, third]);
        same(await ids({ state: 'failed' }), [third, second, first]);
        same(await ids({ state: 'failed', limit: 1 }), [third]);
        same(await ids({ state: 'failed', owner: 'a' }), [third, second]);
        same(await ids({ state: 'queued', owner: 'a' }), []);
        same(await ids({ state: 'done' }), []);
        const [newest] = await repository.list({ state: 'failed', limit: 1 });
        assert.equal(newest?.error, 'reason 3');
      },
      async 'more than a thousand jobs are listed'({ storage, repository }) {
        await storage.transaction(async (scope) => {
          for (let i = 0; i < 1100; i++) await scope.repository(jobs).enqueue(newJob({ created: at(i), payload: i }));
        });
        const listed = (await repository.list({ owner: 'erna', limit: 2000 })).map(({ payload }) => payload);
        const expected = Array.from({ length: 1100 }, (_, i) => 1099 - i);
        same(listed, expected);
        assert.equal((await repository.count()).queued, 1100);
      },
    },
    'find: with an owner only a job of this owner': {
      async 'a job is found for its owner alone, if an owner is named'({ repository }) {
        const job = await repository.enqueue(newJob({ owner: 'a' }));
        same(await repository.find(job.id, 'a'), job);
        for (const owner of ['A', '', 'b', '%']) assert.equal(await repository.find(job.id, owner), undefined, owner);
        assert.equal(await repository.find(randomUUID(), 'a'), undefined);
      },
    },
    'expire deletes done, failed and cancelled jobs last updated before the time; returns how many': {
      async 'jobs that are over expire'({ repository }) {
        const kept = await live(repository);
        const over = await ended(repository);
        const recent = await running(repository);
        await repository.finish(recent, 'worker-1', null, at(20));

        assert.equal(await repository.expire(at(10)), 0, 'not a job that was updated at that time');
        assert.equal(await repository.expire(at(20)), 3);
        assert.equal(await repository.expire(at(20)), 0);
        for (const id of over) assert.equal(await repository.find(id), undefined);
        for (const id of [...kept, recent]) assert.ok(await repository.find(id));
      },
    },
    'remove deletes those of these jobs that are done, failed or cancelled; returns how many': {
      async 'jobs that are over are deleted by their ids'({ repository }) {
        const kept = await live(repository);
        const over = await ended(repository);
        const other = await running(repository);
        await repository.finish(other, 'worker-1', null, at(13));

        const all = [...kept, ...over, randomUUID()];
        assert.equal(await repository.remove([]), 0);
        assert.equal(await repository.remove(all), 3);
        assert.equal(await repository.remove(all), 0);
        for (const id of over) assert.equal(await repository.find(id), undefined);
        for (const id of [...kept, other]) assert.ok(await repository.find(id));
        same(await repository.count(), { queued: 1, running: 1, done: 1, failed: 0, cancelled: 0 });
      },
    },
    'count returns the number of jobs in each state; 0 for a state without jobs': {
      async 'jobs are counted by state'({ repository }) {
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
    'jobs join the transaction in which they are written': {
      async 'a job of a transaction that was rolled back does not exist'({ storage, repository }) {
        const job = newJob({ key: 'undone' });
        await undone(storage, (scope) => scope.repository(jobs).enqueue(job));
        assert.equal(await repository.find(job.id), undefined);
        assert.equal(await repository.claim(claim(9)), undefined);
        const next = newJob({ key: 'undone' });
        assert.equal((await repository.enqueue(next)).id, next.id, 'and its key is free');
      },
      async 'a claim that was rolled back has no effect'({ storage, repository }) {
        const added = await repository.enqueue(newJob());
        await undone(storage, async (scope) => {
          assert.equal((await scope.repository(jobs).claim(claim(1)))?.id, added.id);
        });
        same(await repository.find(added.id), added);
      },
    },
    'repositories accept and return copies of plain data': {
      async 'changing a returned job does not change the storage'({ repository }) {
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
  }),
  {
    name: 'jobs survive closing and opening again',
    promise: 'if its worker dies, a job is claimed again when its lease ends',
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
