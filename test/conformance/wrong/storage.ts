/** Storages that break one promise of core/storage.ts. */
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ApiToken } from '../../../core/auth/contract.js';
import { Fault, isFault, type StorageScope } from '../../../core/storage.js';
import { memorySubject } from '../../kit/memory.js';
import { tokens } from '../core.js';
import { delegate, type Wrong, wrongStorage } from './wrap.js';

const opening = 'opening names every contract that cannot be fulfilled';

function wrongOpening(does: string, fails: string, open: Wrong['subject']['open']): Wrong {
  return { does, fails, subject: { ...memorySubject, name: `An adapter that ${does}`, open } };
}

export const wrongStorages: readonly Wrong[] = [
  wrongOpening('opens without the contracts that it does not know', opening, (contracts) =>
    memorySubject.open(contracts.filter(({ id }) => !id.startsWith('conformance-'))),
  ),
  wrongOpening('names only the first contract that it does not know', opening, async (contracts) => {
    for (const contract of contracts) await memorySubject.open([contract]);
    return memorySubject.open(contracts);
  }),
  wrongOpening('answers an unknown contract with an error that is no fault', opening, async (contracts) => {
    try {
      return await memorySubject.open(contracts);
    } catch (error) {
      throw isFault(error) ? new Error(error.message) : error;
    }
  }),
  wrongStorage('leaves a timer running', 'closing releases every connection, timer and file', () => {
    // Longer than the case waits, and over before the tests are.
    setTimeout(() => {}, 15_000);
    return {};
  }),
  wrongStorage('leaves a file open', 'closing releases every connection, timer and file', () => {
    openSync(fileURLToPath(import.meta.url), 'r');
    return {};
  }),
  ...['a transaction that throws writes nothing', 'half a transaction is never visible'].map((fails) =>
    wrongStorage('writes outside of the transaction', fails, (storage) => ({ transaction: (work) => work(storage) })),
  ),
  wrongStorage('swallows the error of a transaction', 'a transaction that throws writes nothing', (storage) => ({
    transaction: <Result>(work: (scope: StorageScope) => Promise<Result>) =>
      storage.transaction(work).catch(() => undefined as Result),
  })),
  wrongStorage('wraps the error of a transaction', 'a transaction that throws writes nothing', (storage) => ({
    transaction: (work) =>
      storage.transaction(work).catch((cause: unknown) => {
        throw new Error('transaction failed', { cause });
      }),
  })),
  wrongStorage('reads outside of the transaction', 'a transaction sees its own writes', (storage) => ({
    transaction: (work) =>
      storage.transaction((scope) =>
        work({
          repository: (contract) => {
            const inside = scope.repository(contract);
            if (contract.id !== tokens.id) return inside;
            const { list, findByHash } = storage.repository(tokens);
            return { ...inside, list, findByHash };
          },
        }),
      ),
  })),
  wrongStorage(
    'loses the result of a transaction',
    'a transaction resolves with the result of its work',
    (storage) => ({
      transaction: async <Result>(work: (scope: StorageScope) => Promise<Result>) => {
        await storage.transaction(work);
        return undefined as Result;
      },
    }),
  ),
  wrongStorage('cuts text off at U+0000', 'text that an engine cannot store is refused, never changed', (storage) => ({
    repository: (contract) => {
      const right = storage.repository(contract);
      if (contract.id !== tokens.id) return right;
      const { add } = storage.repository(tokens);
      return {
        ...right,
        add: (token: ApiToken) => add({ ...token, owner: token.owner.slice(0, token.owner.indexOf('\u0000')) }),
      };
    },
  })),
  wrongStorage(
    'always has something pending',
    'nothing is pending after migrating, and migrating again runs nothing',
    () => ({
      pending: async () => [{ contract: 'tokens@1', name: '001-tokens' }],
    }),
  ),
  wrongStorage(
    'fails when it is closed twice',
    'closing twice does no harm, and a closed storage reports that it is closed',
    (storage) => {
      let closed = false;
      return {
        close: async () => {
          if (closed) throw new Fault('internal', 'The storage is closed already');
          closed = true;
          await storage.close();
        },
      };
    },
  ),
  wrongStorage(
    'claims a capability in its storage only',
    'the storage has the capabilities that its adapter declares',
    () => ({
      capabilities: { durable: true },
    }),
  ),
  {
    does: 'declares to be durable and forgets',
    fails: 'acknowledged writes are there after closing and reopening',
    subject: {
      name: 'An adapter that declares to be durable and forgets',
      capabilities: { durable: true },
      open: async (contracts) => {
        const open = async () => delegate((await memorySubject.open(contracts)).storage);
        return { storage: await open(), again: open };
      },
    },
  },
];
