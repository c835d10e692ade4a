/**
 * Random histories of a contract that SQL keeps by a binding of its own: every step returns, or throws, what it does in the
 * reference above tables, in memory. TEST_HISTORIES sets their number, TEST_SEED the seed of the first; the whole suite takes
 * others of the first thousand each day.
 */
import { inspect } from 'node:util';
import { type Contract, isFault, type Storage } from '../../../../core/storage.js';
import { property, type Random, same } from '../../../conformance/core.js';
import { memorySubject } from '../../../kit/memory.js';
import { fewer } from '../../../support/sample.js';
import { type StorageEngine, storages } from '../../../support/storages.js';

const runs = Number(process.env.TEST_HISTORIES ?? fewer(8, 2));
const seed = Number(process.env.TEST_SEED ?? 1 + ((runs * Number(process.env.TEST_DAY ?? 0)) % 1000));

/** What one side knows besides its data: numbers that it gave, by how they were seen. */
export type Notes = Map<string, unknown>;

export interface History<Repository, Step> {
  readonly contract: Contract<Repository>;
  /** The steps of one history. */
  steps(random: Random): Step[];
  /** Does a step on one side, and returns what must be the same on both. */
  perform(repository: Repository, step: Step, notes: Notes): Promise<unknown>;
  /** All that a caller can see, compared after each step; omitted if some of the steps look. */
  all?(repository: Repository): Promise<unknown>;
  /** What a step throws on purpose, apart from faults, as it must be the same on both sides; undefined for mistakes. */
  thrown?(error: Error): string | undefined;
  /** Some steps are done together in a transaction, which may be given up. */
  readonly transactions?: true;
  /** Removes all data, so that histories share a storage; each has one of its own if omitted. */
  clear?(repository: Repository): Promise<unknown>;
}

/** Steps of one transaction. A fault ends it. */
interface Together<Step> {
  together: readonly Step[];
  isGivenUp: boolean;
}

type Either<Step> = { alone: Step } | Together<Step>;

const givenUp = new Error('given up');

/** Texts that stores and queries must not confuse: by case, blanks, composition, as patterns, and in any order of characters. */
export const nasty: readonly string[] = [
  ...['A', 'a', 'a ', ' a', 'b', 'B_', 'b%', '%', '_', "'", '"', '\\', 'å', 'a\u030a', 'ß', 'x\r\ny', 'x\ny', 'a\r\n'],
  ...['\ud7ff', '\ue000', '\uffee', '\uff5e', '\u{10400}', '\u{1f600}', '__proto__', '0', '00'],
];

/** Mostly few, so that they collide. */
export function anyText(random: Random): string {
  return random.chance(0.6) ? random.pick(['A', 'a', 'b']) : random.pick(nasty);
}

/** For `thrown`: errors that a step makes itself, not those of the language, nor of assertions. */
export function onPurpose(error: Error): string | undefined {
  return error.constructor === Error ? error.message : undefined;
}

export function describeHistories<Repository, Step>(history: History<Repository, Step>): void {
  describe(`Histories of ${history.contract.id}`, function () {
    this.timeout(120_000 + runs * 5000);
    for (const engine of storages) {
      it(`are on ${engine.name} what they are on tables (${runs} from TEST_SEED=${seed})`, () =>
        compareAll(engine, history));
    }
  });
}

async function compareAll<Repository, Step>(engine: StorageEngine, history: History<Repository, Step>): Promise<void> {
  const { contract, clear } = history;
  const shared = clear && (await engine.open([contract]));
  const given = new Map<string, unknown>();
  const check = async (steps: readonly Either<Step>[]) => {
    const opened = shared ?? (await engine.open([contract]));
    const { storage: reference } = await memorySubject.open([contract]);
    try {
      await clear?.(opened.storage.repository(contract));
      await compare(history, reference, opened.storage, steps);
    } finally {
      await reference.close();
      if (!shared) await opened.close();
    }
  };
  try {
    const context = { seed, given: (name: string, value: unknown) => void given.set(name, value) };
    await property(context, { ...{ runs, shrinking: 30_000 }, generate: (random) => drawn(history, random), check });
  } catch (error) {
    if (!given.has('seed')) throw error;
    const steps = inspect(given.get('steps'), { depth: 12, breakLength: 140 });
    throw new Error(`TEST_SEED=${given.get('seed')} ${steps}\n${(error as Error).message}`, { cause: error });
  } finally {
    await shared?.close();
  }
}

function drawn<Repository, Step>({ steps, transactions }: History<Repository, Step>, random: Random): Either<Step>[] {
  const drawn: Either<Step>[] = [];
  for (let left = steps(random); left.length > 0; ) {
    const count = transactions && random.chance(0.1) ? random.int(1, 3) : 0;
    if (count > 0) drawn.push({ together: left.slice(0, count), isGivenUp: random.chance(0.5) });
    else drawn.push({ alone: left[0] as Step });
    left = left.slice(Math.max(count, 1));
  }
  return drawn;
}

async function compare<Repository, Step>(
  history: History<Repository, Step>,
  reference: Storage,
  sql: Storage,
  steps: readonly Either<Step>[],
): Promise<void> {
  const sides = [reference, sql].map((storage) => ({ storage, notes: new Map<string, unknown>() }));
  for (const [i, step] of steps.entries()) {
    const outcomes: unknown[] = [];
    for (const { storage, notes } of sides) {
      const done = await outcomeOf(history, storage, step, notes);
      outcomes.push([done, await history.all?.(storage.repository(history.contract))]);
    }
    same(outcomes[1], outcomes[0], `after step ${i} SQL (+) is not as the reference (-)\n${difference(outcomes)}`);
  }
}

function difference([reference, sql]: readonly unknown[]): string {
  const shown = (value: unknown) => inspect(value, { depth: 12, breakLength: 140, sorted: true }).split('\n');
  const [before, after] = [shown(reference), shown(sql)];
  const lost = before.filter((line) => !after.includes(line)).map((line) => `- ${line}`);
  return [...lost, ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`)].join('\n');
}

async function outcomeOf<Repository, Step>(
  history: History<Repository, Step>,
  storage: Storage,
  step: Either<Step>,
  notes: Notes,
): Promise<unknown> {
  const { contract } = history;
  if ('alone' in step) return settled(history, history.perform(storage.repository(contract), step.alone, notes));
  const outcomes: unknown[] = [];
  const work = storage.transaction(async (scope) => {
    for (const each of step.together) {
      outcomes.push(await history.perform(scope.repository(contract), each, notes));
    }
    if (step.isGivenUp) throw givenUp;
  });
  return [await settled(history, work), outcomes];
}

/** The result, or the code of the fault, or what was thrown on purpose. */
async function settled({ thrown }: Pick<History<never, never>, 'thrown'>, work: Promise<unknown>): Promise<unknown> {
  try {
    return { value: await work };
  } catch (error) {
    if (isFault(error)) return { fault: error.code };
    const said = error === givenUp ? givenUp.message : thrown?.(error as Error);
    if (said === undefined) throw error;
    return { thrown: said };
  }
}
