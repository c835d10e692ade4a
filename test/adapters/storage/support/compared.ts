/**
 * Random histories of a contract's verbs on an engine of SQL, compared with the reference above tables in memory: each result and
 * each fault code, and after each step all that can be read. TEST_HISTORIES sets their number, TEST_SEED the first seed.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Contract, Fault } from '../../../../core/storage.js';
import { property, type Random, same } from '../../../conformance/core.js';
import { memorySubject } from '../../../kit/memory.js';
import { storages } from '../../../support/storages.js';

const runs = Number(process.env.TEST_HISTORIES ?? 15);
const seed = Number(process.env.TEST_SEED ?? 1);

export interface Histories<Repository, Step> {
  contract: Contract<Repository>;
  step(random: Random): Step;
  /** Runs one step; what it returns is compared. */
  run(repository: Repository, step: Step): Promise<unknown>;
  /** Reads what is compared after each step. */
  look(repository: Repository): Promise<unknown>;
  /** Removes all data: histories share a database. */
  clear(repository: Repository): Promise<unknown>;
}

/** Texts that collations, trimming or normal forms could confuse: a composed and a decomposed Å, and beyond U+FFFF and below. */
export const nasty: readonly string[] = ['a', 'A', 'a ', 'a\r\n', 'Å', 'A\u030a', '\uff5e', '😀', '%', 'a_', '\\', "'"];

export function describeHistories<Repository, Step>(of: Histories<Repository, Step>): void {
  for (const engine of storages) {
    describe(`Histories of ${of.contract.id} on ${engine.name}`, function () {
      this.timeout(60_000 + runs * 2000);

      it(`are those of the reference: ${runs} from seed ${seed} on`, async () => {
        const { storage, close } = await engine.open([of.contract]);
        const repository = storage.repository(of.contract);
        const given = new Map<string, unknown>();
        const context = {
          ...{ storage, repository, capabilities: {}, seed },
          given: (name: string, value: unknown) => void given.set(name, value),
          open: () => Promise.reject(new Error('Not needed here')),
          again: () => Promise.reject(new Error('Not needed here')),
        };
        try {
          await property<Step>(context, {
            runs,
            generate: (random) => random.list(3, 25, () => of.step(random)),
            check: (steps) => compare(of, repository, steps),
          });
        } catch (error) {
          if (!given.has('seed')) throw error;
          const text = `TEST_SEED=${given.get('seed')}: ${JSON.stringify(given.get('steps'))}\n`;
          throw new Error(text + (error instanceof Error ? error.message : String(error)), { cause: error });
        } finally {
          await close();
        }
      });
    });
  }
}

async function compare<Repository, Step>(
  of: Histories<Repository, Step>,
  sql: Repository,
  steps: readonly Step[],
): Promise<void> {
  await of.clear(sql);
  const { storage } = await memorySubject.open([of.contract]);
  try {
    const reference = storage.repository(of.contract);
    for (const [i, step] of steps.entries()) {
      const expected = [await outcome(of.run(reference, step)), await outcome(of.look(reference))];
      const actual = [await outcome(of.run(sql, step)), await outcome(of.look(sql))];
      if (!isDeepStrictEqual(actual, expected)) same(actual, expected, `step ${i}: ${JSON.stringify(step)}`);
    }
  } finally {
    await storage.close();
  }
}

/** What a call returns, or the code of its fault. */
async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Fault) return { fault: error.code };
    if (error instanceof RangeError) return { fault: 'range' };
    throw error;
  }
}
