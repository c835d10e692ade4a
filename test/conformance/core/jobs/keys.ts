/** At most one queued or running job for each key. */
import assert from 'node:assert/strict';
import type { JobRepository } from '../../../../core/jobs/contract.js';
import { cases } from '../case.js';
import { faults, same } from '../expect.js';
import { at, claim, newJob, running } from './build.js';

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
        [1, 2, 3].map((payload) => repository.enqueue(newJob({ id: 'one', payload }))),
      );
      same(ids.filter(({ status }) => status === 'fulfilled').length, 1);
      same((await repository.count()).queued, 1);
    },
  },
});
