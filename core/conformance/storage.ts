/** What every storage promises (core/storage.ts), shown by the core's own contracts. */
import assert from 'node:assert/strict';
import { type ApiToken, type TokenRepository, tokens } from '../auth/contract.js';
import { jobs } from '../jobs/contract.js';
import { defineContract, type StorageScope } from '../storage.js';
import type { Case } from './case.js';
import { atMost, faultOf, faults, gate, keepsSecret, same } from './expect.js';
import { newJob } from './jobs.js';
import { sampleToken } from './tokens.js';

const unknown = defineContract('conformance-unknown@1');
const alsoUnknown = defineContract('conformance-other@2');

const together = 'all writes of a transaction are seen together or not at all';
const rolledBack = 'where the work of a transaction throws, nothing is written and the error is thrown on';

async function idsOf(scope: StorageScope): Promise<string[]> {
  return (await scope.repository(tokens).list()).map(({ id }) => id).sort();
}

async function addBoth(scope: StorageScope, first: ApiToken, second: ApiToken): Promise<void> {
  await scope.repository(tokens).add(first);
  await scope.repository(tokens).add(second);
}

export const storageCases: readonly Case<TokenRepository>[] = [
  {
    name: 'opening names every contract that cannot be fulfilled',
    promise: 'open throws an unprocessable fault that names every contract it cannot fulfil, all at once',
    async run({ open }) {
      const fault = await faults('unprocessable', open([unknown, tokens, alsoUnknown]));
      for (const { id } of [unknown, alsoUnknown])
        assert.ok(fault.message.includes(id), `${fault.message} names ${id}`);
      assert.ok(!fault.message.includes(tokens.id), `${fault.message} names only what cannot be fulfilled`);
    },
  },
  {
    name: 'a contract that was not named at opening is refused',
    promise: 'repository throws an internal fault for a contract that was not named at opening',
    async run({ open }) {
      const storage = await open([tokens]);
      const outside = Promise.resolve().then(() => storage.repository(jobs));
      keepsSecret(await faults('internal', outside));
      await faults(
        'internal',
        storage.transaction(async (scope) => scope.repository(jobs)),
      );
      same(await storage.repository(tokens).list(), [], 'the storage works on afterwards');
    },
  },
  {
    name: 'the storage has the capabilities that its adapter declares',
    promise: 'capabilities are stated once; absent means the modest answer',
    async run({ storage, capabilities }) {
      for (const name of ['durable', 'concurrentWriters', 'streams'] as const) {
        assert.equal(storage.capabilities[name] ?? false, capabilities[name] ?? false, `capability ${name}`);
      }
    },
  },
  {
    name: 'a new storage is empty',
    promise: 'a new storage holds nothing',
    async run({ storage }) {
      same(await storage.repository(tokens).list(), []);
      same(await storage.repository(jobs).count(), { queued: 0, running: 0, done: 0, failed: 0, cancelled: 0 });
    },
  },
  {
    name: 'nothing is pending after migrating, and migrating again runs nothing',
    promise: 'migrate runs what is pending and answers what it ran',
    async run({ storage, repository }) {
      const token = sampleToken();
      await repository.add(token);
      same(await storage.pending(), []);
      same(await storage.migrate(), []);
      same(await storage.pending(), []);
      same(await repository.list(), [token], 'migrating again loses nothing');
    },
  },
  {
    name: 'several may migrate at once',
    promise: 'migrate is safe when several do it at once',
    async run({ storage }) {
      same(await Promise.all([storage.migrate(), storage.migrate(), storage.migrate()]), [[], [], []]);
    },
  },
  {
    name: 'a transaction answers what its work answers',
    promise: 'transaction resolves with the result of the work',
    async run({ storage }) {
      assert.equal(await storage.transaction(async () => 42), 42);
      assert.equal(await storage.transaction(async () => undefined), undefined);
    },
  },
  {
    name: 'a transaction writes to every contract',
    promise: together,
    async run({ storage }) {
      const token = sampleToken();
      const job = newJob();
      await storage.transaction(async (scope) => {
        await scope.repository(tokens).add(token);
        await scope.repository(jobs).enqueue(job);
      });
      same(await storage.repository(tokens).list(), [token]);
      assert.equal((await storage.repository(jobs).find(job.id))?.id, job.id);
    },
  },
  {
    name: 'a transaction that throws writes nothing',
    promise: rolledBack,
    async run({ storage }) {
      const kept = sampleToken();
      const job = newJob();
      await storage.repository(tokens).add(kept);
      const error = new Error('the work went wrong');
      const [outcome] = await Promise.allSettled([
        storage.transaction(async (scope) => {
          await scope.repository(tokens).add(sampleToken());
          await scope.repository(tokens).revoke(kept.id, new Date(5_000));
          await scope.repository(jobs).enqueue(job);
          throw error;
        }),
      ]);
      assert.equal(outcome.status, 'rejected', 'the transaction is rejected');
      same(await storage.repository(tokens).list(), [kept], 'neither the addition nor the change is there');
      assert.equal(await storage.repository(jobs).find(job.id), undefined, 'nor is what another contract wrote');
    },
  },
  {
    name: 'a transaction throws on the very error of its work',
    promise: rolledBack,
    async run({ storage }) {
      const error = new Error('the work went wrong');
      const [outcome] = await Promise.allSettled([
        storage.transaction(async () => {
          throw error;
        }),
      ]);
      assert.ok(outcome.status === 'rejected' && outcome.reason === error, 'the same error comes out');
    },
  },
  {
    name: 'a fault inside a transaction undoes it and is thrown on',
    promise: rolledBack,
    async run({ storage, repository }) {
      const known = sampleToken();
      await repository.add(known);
      await faults(
        'conflict',
        storage.transaction(async (scope) => {
          await addBoth(scope, sampleToken(), { ...sampleToken(), id: known.id });
        }),
      );
      same(await repository.list(), [known]);
    },
  },
  {
    name: 'a transaction after one that failed is untouched by it',
    promise: rolledBack,
    async run({ storage }) {
      const token = sampleToken();
      for (let i = 0; i < 3; i++) {
        const failing = storage.transaction(async (scope) => {
          await scope.repository(tokens).add(token);
          throw new Error('again');
        });
        await assert.rejects(failing, /again/);
      }
      await storage.transaction((scope) => scope.repository(tokens).add(token));
      same(await storage.repository(tokens).list(), [token]);
    },
  },
  {
    name: 'a transaction sees its own writes',
    promise: 'the scope handed in sees what was written through it',
    async run({ storage, repository }) {
      const before = sampleToken();
      await repository.add(before);
      const [one, two] = [sampleToken(), sampleToken()];
      await storage.transaction(async (scope) => {
        await addBoth(scope, one, two);
        same(await idsOf(scope), [before.id, one.id, two.id].sort());
        same(await scope.repository(tokens).findByHash(one.hash), one);
        await scope.repository(tokens).revoke(one.id, new Date(9_000));
        same((await scope.repository(tokens).findByHash(one.hash))?.revoked, new Date(9_000));
      });
    },
  },
  {
    name: 'nobody sees half a transaction',
    promise: together,
    async run({ storage, repository }) {
      const halfway = gate();
      const goOn = gate();
      const writing = storage.transaction(async (scope) => {
        await scope.repository(tokens).add(sampleToken());
        halfway.open();
        await goOn.passed;
        await scope.repository(tokens).add(sampleToken());
      });
      await Promise.race([halfway.passed, writing]);
      // An engine may keep the reader waiting until the transaction is over, or show it the state before.
      const reading = repository.list();
      await atMost(300, reading);
      goOn.open();
      await writing;
      const seen = (await reading).length;
      assert.ok(seen === 0 || seen === 2, `a reader saw ${seen} of the 2 writes`);
      assert.equal((await repository.list()).length, 2);
    },
  },
  {
    name: 'transactions that run at once keep apart',
    promise: together,
    async run({ storage }) {
      const pairs = Array.from({ length: 12 }, () => [sampleToken(), sampleToken()] as const);
      const outcomes = await Promise.allSettled(
        pairs.map(([first, second], i) =>
          storage.transaction(async (scope) => {
            await scope.repository(tokens).add(first);
            await new Promise((resolve) => setTimeout(resolve, i % 4));
            await scope.repository(tokens).add(second);
            if (i % 3 === 0) throw new Error(`transaction ${i} gives up`);
          }),
        ),
      );
      outcomes.forEach(({ status }, i) => {
        assert.equal(status, i % 3 === 0 ? 'rejected' : 'fulfilled', `transaction ${i}`);
      });
      const committed = pairs.flatMap(([first, second], i) => (i % 3 === 0 ? [] : [first.id, second.id]));
      same(await idsOf(storage), committed.sort());
    },
  },
  {
    name: 'writes outside a transaction are not undone by one that fails',
    promise: rolledBack,
    async run({ storage, repository }) {
      const outside = sampleToken();
      const halfway = gate();
      const goOn = gate();
      const failing = storage.transaction(async (scope) => {
        await scope.repository(tokens).add(sampleToken());
        halfway.open();
        await goOn.passed;
        throw new Error('given up');
      });
      await Promise.race([halfway.passed, failing]);
      const writing = repository.add(outside);
      await atMost(100, writing);
      goOn.open();
      await assert.rejects(failing, /given up/);
      await writing;
      same(await repository.list(), [outside]);
    },
  },
  {
    name: 'what two transactions cannot both write, one of them is refused',
    promise: together,
    async run({ storage, repository }) {
      const shared = sampleToken();
      const outcomes = await Promise.allSettled(
        [1, 2, 3].map(() => storage.transaction((scope) => addBoth(scope, sampleToken(), { ...shared }))),
      );
      const refused = outcomes.filter(({ status }) => status === 'rejected');
      for (const outcome of refused) faultOf('conflict', outcome);
      assert.equal(refused.length, 2, 'one of three goes through');
      assert.equal((await repository.list()).length, 2, 'those refused have written nothing');
    },
  },
  {
    name: 'text that an engine cannot keep is refused, never changed',
    promise: 'text comes back as it went in; what an engine cannot keep is refused with an invalid fault',
    async run({ storage, repository, given }) {
      for (const text of ['cut \u0000 off', '\u0000', '\u0000 at the front']) {
        given('text', text);
        const token = sampleToken({ owner: text });
        const [added] = await Promise.allSettled([repository.add(token)]);
        if (added.status === 'rejected') faultOf('invalid', added);
        same(await repository.findByHash(token.hash), added.status === 'rejected' ? undefined : token);
        const job = newJob({ payload: { text } });
        const [enqueued] = await Promise.allSettled([storage.repository(jobs).enqueue(job)]);
        if (enqueued.status === 'rejected') faultOf('invalid', enqueued);
        const stored = await storage.repository(jobs).find(job.id);
        same(stored?.payload, enqueued.status === 'rejected' ? undefined : job.payload);
      }
    },
  },
  {
    name: 'ping answers while open',
    promise: 'ping resolves when the engine answers',
    async run({ storage }) {
      await storage.ping();
    },
  },
  {
    name: 'closing twice does no harm, and a closed storage says so',
    promise: 'close may be called twice; ping throws an unavailable fault where the engine does not answer',
    async run({ storage }) {
      await Promise.all([storage.close(), storage.close()]);
      await storage.close();
      await faults('unavailable', storage.ping());
    },
  },
  {
    name: 'closing waits for a transaction under way',
    promise: 'close waits for what is under way',
    async run({ storage }) {
      const halfway = gate();
      const goOn = gate();
      const writing = storage.transaction(async (scope) => {
        await scope.repository(tokens).add(sampleToken());
        halfway.open();
        await goOn.passed;
        await scope.repository(tokens).add(sampleToken());
        return (await scope.repository(tokens).list()).length;
      });
      await Promise.race([halfway.passed, writing]);
      const closing = storage.close();
      await atMost(50, closing);
      goOn.open();
      assert.equal(await writing, 2);
      await closing;
    },
  },
  {
    name: 'what was acknowledged is there after closing and opening again',
    promise: 'a durable storage keeps what was acknowledged',
    needs: 'durable',
    async run({ storage, repository, again }) {
      const [one, two] = [sampleToken(), sampleToken()];
      await repository.add(one);
      await storage.transaction((scope) => scope.repository(tokens).add(two));
      await storage.close();
      const reopened = await again();
      same(await reopened.pending(), []);
      same(await idsOf(reopened), [one.id, two.id].sort());
    },
  },
  {
    name: 'two open storages on the same data see and respect each other',
    promise: 'several processes may write at once',
    needs: 'concurrentWriters',
    async run({ storage, repository, again }) {
      const other = await again();
      const token = sampleToken();
      await repository.add(token);
      same(await other.repository(tokens).list(), [token]);
      await faults('conflict', other.repository(tokens).add(token));
      await Promise.all([storage, other].flatMap((each) => [each.migrate(), each.migrate()]));
      const added = Array.from({ length: 20 }, sampleToken);
      await Promise.all(added.map((each, i) => (i % 2 ? storage : other).repository(tokens).add(each)));
      same(await idsOf(storage), [token, ...added].map(({ id }) => id).sort());
    },
  },
];
