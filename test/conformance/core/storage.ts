/** What every storage promises (core/storage.ts), tested with the core's own contracts: opening, migration, closing, and transactions. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiToken, type TokenRepository, tokens } from '../../../core/auth/contract.js';
import { jobs } from '../../../core/jobs/contract.js';
import { defineContract, type StorageScope } from '../../../core/storage.js';
import { type Case, cases } from './case.js';
import { atMost, faultOf, faults, gate, keepsSecret, onlyOne, same, undone } from './expect.js';
import { newJob } from './jobs/build.js';
import { sampleToken } from './tokens.js';

const unknown = defineContract('conformance-unknown@1');
const alsoUnknown = defineContract('conformance-other@2');

async function idsOf(scope: StorageScope): Promise<string[]> {
  return (await scope.repository(tokens).list()).map(({ id }) => id).sort();
}

/** The number of storages that are opened and closed; whatever grows by as many is never released. */
const leaks = 4;

/** What keeps the process alive, by kind, and its open files if the system reports them. */
async function held(): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const files = await readdir('/proc/self/fd').catch(() => []);
  return counts.set('open files', files.length);
}

function grown(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string[] {
  return [...after].filter(([kind, count]) => count - (before.get(kind) ?? 0) >= leaks).map(([kind]) => kind);
}

const openingCases: readonly Case<TokenRepository>[] = [
  ...cases<TokenRepository>({
    'open throws an unprocessable fault that names every contract it cannot fulfil, all at once': {
      async 'opening names every contract that cannot be fulfilled'({ open }) {
        const fault = await faults('unprocessable', open([unknown, tokens, alsoUnknown]));
        for (const { id } of [unknown, alsoUnknown])
          assert.ok(fault.message.includes(id), `${fault.message} names ${id}`);
        assert.ok(!fault.message.includes(tokens.id), `${fault.message} names only what cannot be fulfilled`);
      },
    },
    'repository throws an internal fault for a contract that was not named at opening': {
      async 'a contract that was not named at opening is refused'({ open }) {
        const storage = await open([tokens]);
        const outside = Promise.resolve().then(() => storage.repository(jobs));
        keepsSecret(await faults('internal', outside));
        const refused = storage.transaction(async (scope) => scope.repository(jobs));
        await faults('internal', refused);
        same(await storage.repository(tokens).list(), [], 'the storage works afterwards');
      },
    },
    'a capability that is not declared is absent': {
      async 'the storage has the capabilities that its adapter declares'({ storage, capabilities, given }) {
        given('declared', capabilities);
        for (const name of ['durable', 'concurrentWriters', 'streams'] as const) {
          assert.equal(storage.capabilities[name] ?? false, capabilities[name] ?? false, `capability ${name}`);
        }
      },
    },
    'a new storage is empty': {
      async 'a new storage is empty'({ storage }) {
        same(await storage.repository(tokens).list(), []);
        same(await storage.repository(jobs).count(), { queued: 0, running: 0, done: 0, failed: 0, cancelled: 0 });
      },
    },
    'migrate runs the pending migrations and returns them': {
      async 'nothing is pending after migrating, and migrating again runs nothing'({ storage, repository }) {
        const token = sampleToken();
        await repository.add(token);
        same(await storage.pending(), []);
        same(await storage.migrate(), []);
        same(await storage.pending(), []);
        same(await repository.list(), [token], 'migrating again loses nothing');
      },
    },
    'migrate is safe if several processes call it at the same time': {
      async 'migrations may run concurrently'({ storage }) {
        same(await Promise.all([storage.migrate(), storage.migrate(), storage.migrate()]), [[], [], []]);
      },
    },
    'text is returned as it was passed in; text that an engine cannot store is refused with an invalid fault': {
      async 'text that an engine cannot store is refused, never changed'({ storage, repository }) {
        for (const text of ['cut \u0000 off', '\u0000', '\u0000 at the front']) {
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
    'ping resolves when the engine answers': {
      async 'ping resolves while the storage is open'({ storage }) {
        await storage.ping();
      },
    },
    'close may be called twice; ping throws an unavailable fault if the engine does not answer': {
      async 'closing twice does no harm, and a closed storage reports that it is closed'({ storage }) {
        await Promise.all([storage.close(), storage.close()]);
        await storage.close();
        await faults('unavailable', storage.ping());
      },
    },
    'close releases every connection and file': {
      async 'closing releases every connection, timer and file'({ open, given }) {
        const openAndClose = async () => {
          const storage = await open([tokens]);
          await storage.repository(tokens).add(sampleToken());
          await storage.close();
        };
        // The first one creates what is made once and stays, such as a module or a pool of threads.
        await openAndClose();
        const before = await held();
        for (let i = 0; i < leaks; i++) await openAndClose();
        // Sockets close a little later than they report.
        for (let i = 0; i < 50 && grown(before, await held()).length > 0; i++) await sleep(100);
        const left = grown(before, await held());
        given('left open', left);
        same(left, [], 'what closed storages leave open');
      },
    },
    'close waits for running work': {
      async 'closing waits for a running transaction'({ storage }) {
        const halfway = gate();
        const goOn = gate();
        let isWritten = false;
        const writing = storage.transaction(async (scope) => {
          await scope.repository(tokens).add(sampleToken());
          halfway.open();
          await goOn.passed;
          await scope.repository(tokens).add(sampleToken());
          isWritten = true;
          return (await scope.repository(tokens).list()).length;
        });
        await Promise.race([halfway.passed, writing]);
        const closing = storage.close().then(() => isWritten);
        await atMost(50, closing);
        goOn.open();
        assert.equal(await writing, 2);
        assert.equal(await closing, true, 'it is closed after that');
      },
    },
  }),
  {
    name: 'acknowledged writes are there after closing and reopening',
    promise: 'a durable storage keeps acknowledged writes',
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
    name: "two open storages on the same data see each other's writes",
    promise: 'several processes may write at the same time',
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

const together = 'all writes of a transaction become visible together or not at all';

async function addBoth(scope: StorageScope, first: ApiToken, second: ApiToken): Promise<void> {
  await scope.repository(tokens).add(first);
  await scope.repository(tokens).add(second);
}

const transactionCases = cases<TokenRepository>({
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

export const storageCases: readonly Case<TokenRepository>[] = [...openingCases, ...transactionCases];
