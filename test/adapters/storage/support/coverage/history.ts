/**
 * Random histories of a contract that SQL keeps by a binding of its own: every verb returns, or throws, what it does in the
 * reference above tables, in memory. TEST_HISTORIES sets their number, TEST_SEED the seed of the first.
 */
import { inspect } from 'node:util';
import { type Contract, isFault, type Storage, type StorageScope } from '../../../../../core/storage.js';
import { property, type Random, same } from '../../../../conformance/core.js';
import { memorySubject } from '../../../../kit/memory.js';
import { storages } from '../../../../support/storages.js';

export const runs: number = Number(process.env.TEST_HISTORIES ?? 15);
const seed = Number(process.env.TEST_SEED ?? 1);

/** What one side knows besides its data: numbers that it gave, by how they were seen. */
export type Notes = Map<string, unknown>;

export interface History<Repository, Step extends object> {
  readonly contract: Contract<Repository>;
  step(random: Random): Step;
  /** Does a step on one side, and returns what must be the same on both. */
  perform(repository: Repository, step: Step, notes: Notes): Promise<unknown>;
  /** All that a caller can see. */
  all(repository: Repository): Promise<unknown>;
}

/** Steps of one transaction, which is given up at its end. A fault ends it. */
interface Together<Step> {
  steps: readonly Step[];
  isGivenUp: boolean;
}

type Either<Step> = { alone: Step } | Together<Step>;

/** Texts that stores and queries must not confuse. */
export const texts: readonly string[] = [
  ...['A', 'a', 'a ', ' a', 'b', 'B_', 'b%', '%', '_', "'", '"', '\\', 'å', 'a\u030a', 'ß', 'x\r\ny', 'x\ny'],
  ...['\ud7ff', '\ue000', '\uffee', '\u{10400}', '\u{1f600}', '__proto__', '0', '00'],
];

/** Mostly few, so that they collide. */
export function anyText(random: Random): string {
  return random.chance(0.6) ? random.pick(['A', 'a', 'b']) : random.pick(texts);
}

export function describeHistories<Repository, Step extends object>(history: History<Repository, Step>): void {
  const { contract } = history;
  for (const subject of storages) {
    it(`of ${contract.id} on ${subject.name}, ${runs} from seed ${seed}`, async () => {
      const given = new Map<string, unknown>();
      const unneeded = () => Promise.reject(new Error('Not needed here'));
      const context = {
        ...{ seed, capabilities: {}, repository: undefined, storage: undefined as unknown as Storage },
        given: (name: string, value: unknown) => void given.set(name, value),
        ...{ open: unneeded, again: unneeded },
      };
      const one = (random: Random): Either<Step> => {
        if (random.chance(0.9)) return { alone: history.step(random) };
        return { steps: random.list(1, 3, () => history.step(random)), isGivenUp: random.chance(0.5) };
      };
      const check = async (steps: readonly Either<Step>[]) => {
        const opened = [await memorySubject.open([contract]), await subject.open([contract])];
        try {
          const sides = opened.map(({ storage }) => ({ storage, notes: new Map<string, unknown>() }));
          for (const [i, step] of steps.entries()) {
            const outcomes: unknown[] = [];
            for (const { storage, notes } of sides) {
              const done = await outcomeOf(history, storage, step, notes);
              outcomes.push([done, await history.all(storage.repository(contract))]);
            }
            same(
              outcomes[1],
              outcomes[0],
              `after step ${i} SQL (+) is not as the reference (-)\n${difference(outcomes)}`,
            );
          }
        } finally {
          for (const { storage, discard } of opened) {
            await storage.close();
            await discard?.();
          }
        }
      };
      try {
        await property(context, { runs, generate: (random) => random.list(8, 24, () => one(random)), check });
      } catch (error) {
        const inputs = [...given].map(([name, value]) => `${name}: ${inspect(value, { depth: 12, breakLength: 140 })}`);
        throw new Error([(error as Error).message, ...inputs].join('\n'), { cause: error });
      }
    });
  }
}

function difference([reference, sql]: readonly unknown[]): string {
  const shown = (value: unknown) => inspect(value, { depth: 12, breakLength: 140 }).split('\n');
  const [before, after] = [shown(reference), shown(sql)];
  const lost = before.filter((line) => !after.includes(line)).map((line) => `- ${line}`);
  return [...lost, ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`)].join('\n');
}

async function outcomeOf<Repository, Step extends object>(
  { contract, perform }: History<Repository, Step>,
  storage: Storage,
  step: Either<Step>,
  notes: Notes,
): Promise<unknown> {
  if ('alone' in step) return settled(perform(storage.repository(contract), step.alone, notes));
  const outcomes: unknown[] = [];
  const work = storage.transaction(async (scope: StorageScope) => {
    for (const each of step.steps) outcomes.push(await perform(scope.repository(contract), each, notes));
    if (step.isGivenUp) throw new Error('given up');
  });
  return [await settled(work), outcomes];
}

/** The result, or the code of the fault, or the message of what the caller threw. */
export async function settled(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => ({ value }),
    (error) => ({ thrown: isFault(error) ? error.code : (error as Error).message }),
  );
}
