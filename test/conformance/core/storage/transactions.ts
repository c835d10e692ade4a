/** Transactions: atomic and isolated. */
import assert from 'node:assert/strict';
import { type ApiToken, type TokenRepository, tokens } from '../../../../core/auth/contract.js';
import { jobs } from '../../../../core/jobs/contract.js';
import type { StorageScope } from '../../../../core/storage.js';
import { cases } from '../case.js';
import { atMost, faults, gate, onlyOne, same, undone } from '../expect.js';
import { newJob } from '../jobs/build.js';
import { sampleToken } from '../tokens.js';

const together = 'all writes of a transaction become visible together or not at all';

async function idsOf(scope: StorageScope): Promise<string[]> {
  return (await scope.repository(tokens).list()).map(({ id }) => id).sort();
}

async function addBoth(scope: StorageScope, first: ApiToken, second: ApiToken): Promise<void> {
  await scope.repository(tokens).add(first);
  await scope.repository(tokens).add(second);
}

export const transactionCases = cases<TokenRepository>({
  'transaction resolves with the result of the work': {
    async 'a transaction resolves with the result of its work'({ storage }) {
      assert.equal(await storage.transaction(async () => 42), 42);
      assert.equal(await storage.transaction(async () => undefined), undefined);
    },
  },
  [together]: {
    async 'a transaction writes to every contract'({ storage }) {
      const token = sampleToken();
      const job = newJob();
      await storage.transaction(async (scope) => {
        await scope.repository(tokens).add(token);
        await scope.repository(jobs).enqueue(job);
      });
      same(await storage.repository(tokens).list(), [token]);
      assert.equal((await storage.repository(jobs).find(job.id))?.id, job.id);
    },
    async 'half a transaction is never visible'({ storage, repository }) {
      const halfway = gate();
      const goOn = gate();
      const writing = storage.transaction(async (scope) => {
        await scope.repository(tokens).add(sampleToken());
        halfway.open();
        await goOn.passed;
        await scope.repository(tokens).add(sampleToken());
      });
      await Promise.race([halfway.passed, writing]);
      // An engine may make the reader wait until the transaction is over, or show the state before it.
      const reading = repository.list();
      await atMost(300, reading);
      goOn.open();
      await writing;
      const seen = (await reading).length;
      assert.ok(seen === 0 || seen === 2, `a reader saw ${seen} of the 2 writes`);
      assert.equal((await repository.list()).length, 2);
    },
    async 'concurrent transactions are isolated'({ storage }) {
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
    async 'of transactions with conflicting writes, one succeeds'({ storage, repository }) {
      const shared = sampleToken();
      const works = [1, 2, 3].map(() => storage.transaction((scope) => addBoth(scope, sampleToken(), { ...shared })));
      onlyOne('conflict', await Promise.allSettled(works));
      assert.equal((await repository.list()).length, 2, 'the refused ones have written nothing');
    },
  },
  'if the work of a transaction throws, nothing is written and the error is rethrown': {
    async 'a transaction that throws writes nothing'({ storage }) {
      const [kept, token] = [sampleToken(), sampleToken()];
      const job = newJob();
      await storage.repository(tokens).add(kept);
      for (let i = 0; i < 3; i++) {
        await undone(storage, async (scope) => {
          await scope.repository(tokens).add(token);
          await scope.repository(tokens).revoke(kept.id, new Date(5_000));
          await scope.repository(jobs).enqueue(job);
        });
      }
      same(await storage.repository(tokens).list(), [kept], 'neither the addition nor the change is there');
      assert.equal(await storage.repository(jobs).find(job.id), undefined, 'nor is what another contract wrote');
      await storage.transaction((scope) => scope.repository(tokens).add(token));
      same(await idsOf(storage), [kept.id, token.id].sort(), 'the next one is not affected');
    },
    async 'a fault inside a transaction rolls it back and is rethrown'({ storage, repository }) {
      const known = sampleToken();
      await repository.add(known);
      const failing = storage.transaction((scope) => addBoth(scope, sampleToken(), sampleToken({ id: known.id })));
      await faults('conflict', failing);
      same(await repository.list(), [known]);
    },
    async 'a failed transaction does not undo writes outside it'({ storage, repository }) {
      const outside = sampleToken();
      let writing: Promise<void> | undefined;
      await undone(storage, async (scope) => {
        await scope.repository(tokens).add(sampleToken());
        writing = repository.add(outside);
        await atMost(100, writing);
      });
      await writing;
      same(await repository.list(), [outside]);
    },
  },
  'the scope passed in sees what was written through it': {
    async 'a transaction sees its own writes'({ storage, repository }) {
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
});
