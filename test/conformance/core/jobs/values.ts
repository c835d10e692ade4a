/** What a job stores. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Job, JobRepository, Json } from '../../../../core/jobs/contract.js';
import { cases } from '../case.js';
import { imitations, lookalikes, originals, same } from '../expect.js';
import { at, claim, newJob, running, shows, verbsOf } from './build.js';

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

export const valueCases = cases<JobRepository>({
  'enqueue adds a job in state queued': {
    async 'a new job is queued as it was added'({ repository }) {
      const job = newJob({ payload: { file: 'a.vcf' }, runAfter: at(30), owner: 'cli' });
      const expected = {
        ...job,
        state: 'queued',
        attempts: 0,
        crashes: 0,
        progress: 0,
        cancelRequested: false,
        updated: job.created,
      };
      same(await repository.enqueue(job), expected);
      same(await repository.find(job.id), expected);
    },
  },
  'absent is undefined, never null': {
    async 'a job that does not exist is undefined'({ repository }) {
      assert.equal(await repository.find(randomUUID()), undefined);
      assert.equal(await repository.find('not even a UUID'), undefined);
      assert.equal(await repository.claim(claim(0)), undefined);
    },
  },
  'a job is returned as it was added': {
    async 'payloads keep their types'({ repository }) {
      for (const payload of payloads) {
        const job = newJob({ payload, kind: 'test.payload' });
        assert.deepStrictEqual((await repository.enqueue(job)).payload, payload, 'as returned by enqueue');
        assert.deepStrictEqual((await repository.find(job.id))?.payload, payload, 'as returned by find');
        const claimed = await repository.claim(claim(1, { kinds: ['test.payload'] }));
        assert.deepStrictEqual(claimed?.payload, payload, 'as returned by claim');
      }
    },
    async 'a large payload is kept whole'({ repository }) {
      const payload = { samples: Array.from({ length: 20_000 }, (_, i) => `sample-${i}`) };
      const job = newJob({ payload });
      await repository.enqueue(job);
      assert.deepStrictEqual((await repository.find(job.id))?.payload, payload);
    },
  },
  'finish stores what the handler returned': {
    async 'results keep their types'({ repository }) {
      for (const result of payloads) {
        const id = await running(repository);
        assert.equal(await repository.finish(id, 'worker-1', result, at(2)), true);
        assert.deepStrictEqual((await repository.find(id))?.result, result);
      }
    },
  },
  'texts are compared as they are': {
    async 'jobs whose ids, owners, kinds, keys and workers look alike are different ones'({ repository }) {
      for (const text of lookalikes) {
        const job = newJob({ id: text, owner: text, kind: text, key: text });
        same((await repository.enqueue(job)).id, text);
      }
      for (const [i, text] of lookalikes.entries()) {
        const other = lookalikes[i + 1] ?? 'other';
        same((await repository.find(text))?.owner, text);
        same((await repository.find(text, text))?.kind, text);
        same(await repository.find(text, other), undefined);
        same.each(await repository.list({ owner: text, limit: 5 }), ({ id }) => id, [text]);
        same((await repository.claim(claim(1, { kinds: [text], worker: text })))?.id, text);
        same(await repository.fail(text, text, text, at(1), at(1)), true);
        const { owner, kind, error, worker } =
          (await repository.claim(claim(1, { kinds: [text], worker: text }))) ?? {};
        same([owner, kind, error, worker], [text, text, text, text]);
        same(await repository.renew(text, text, at(90), 0.5, at(2)), 'held');
        same(await repository.cancel(text, at(3)), true);
        for (const { call, answer, verb } of verbsOf(repository, text, other, at(4))) same(await call(), answer, verb);
        same(await repository.cancelled(text, text, at(4)), true);
        same(await repository.remove([text]), 1);
        const queued = lookalikes.length - i - 1;
        same(await repository.count(), { queued, running: 0, done: 0, failed: 0, cancelled: 0 });
      }
    },
    async 'what looks like the text of a job is not it'({ repository }) {
      for (const text of originals) {
        await repository.enqueue(newJob({ id: text, owner: text, kind: text, key: text }));
        await repository.claim(claim(1, { kinds: [text], worker: text }));
      }
      const before = await repository.list({ limit: 5 });
      for (const text of imitations) {
        same(await repository.find(text), undefined);
        for (const original of originals) same(await repository.find(original, text), undefined);
        same(await repository.list({ owner: text, limit: 5 }), []);
        same(await repository.claim(claim(1, { kinds: [text] })), undefined);
        for (const id of [...originals, text]) {
          for (const { call, answer, verb } of verbsOf(repository, id, text, at(4))) same(await call(), answer, verb);
        }
        same(await repository.cancel(text, at(3)), false);
        same(await repository.remove([text]), 0);
      }
      same(await repository.list({ limit: 5 }), before);
      // Ids and keys of others are free.
      for (const text of imitations) same((await repository.enqueue(newJob({ id: text, key: text }))).id, text);
      await repository.remove(imitations);
      for (const text of imitations) await repository.cancel(text, at(5));
      same(await repository.remove(imitations), imitations.length);
      for (const text of originals) await repository.release(text, text, at(6));
      for (const text of imitations) same(await repository.cancel(text, at(7)), false);
      same((await repository.count()).queued, originals.length);
    },
  },
  'a time is returned as the Date that was passed in': {
    async 'times of jobs are kept to the millisecond'({ repository }) {
      for (const milliseconds of [1, 10, 123, 999]) {
        const time = (seconds: number) => at(seconds + milliseconds / 1000);
        const job = newJob({ created: time(0), runAfter: time(1) });
        await repository.enqueue(job);
        await repository.claim(claim(0, { now: time(2), leaseUntil: time(62) }));
        const now = (expected: Partial<Job>) => shows(repository, job.id, expected);
        await now({ created: time(0), runAfter: time(1), updated: time(2), leaseUntil: time(62) });
        await repository.renew(job.id, 'worker-1', time(63), 0.5, time(3));
        await now({ updated: time(3), leaseUntil: time(63) });
        await repository.release(job.id, 'worker-1', time(4));
        await now({ updated: time(4) });
        await repository.claim(claim(0, { now: time(5), leaseUntil: time(65) }));
        await repository.fail(job.id, 'worker-1', 'later', time(6), time(7));
        await now({ updated: time(6), runAfter: time(7) });
        await repository.claim(claim(0, { now: time(8), leaseUntil: time(68) }));
        await repository.cancel(job.id, time(9));
        await now({ updated: time(9) });
        assert.equal(await repository.finish(job.id, 'worker-1', null, time(10)), true);
        await now({ updated: time(10) });
      }
    },
  },
});
