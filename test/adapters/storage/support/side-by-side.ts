/**
 * Random histories of verbs, run side by side on an SQL engine and on the reference above tables, in plain memory: results and
 * fault codes are the same. TEST_HISTORIES sets how many, TEST_SEED which.
 */
import { inspect } from 'node:util';
import { openMemory } from '../../../../adapters/memory/adapter.js';
import { type Contract, isFault } from '../../../../core/storage.js';
import { property, type Random, same } from '../../../conformance/core.js';
import { type StorageEngine, storages } from '../../../support/storages.js';
import { stores } from '../../../support/stores.js';

const runs = Number(process.env.TEST_HISTORIES ?? 15);
const seed = Number(process.env.TEST_SEED ?? 1);
/** Calls of a history. */
const longest = 40;

/** Stands for a number that a storage gave: of its kind the one that was seen first, second and so on. */
class Nth {
  readonly place: number;
  readonly kind: string;

  constructor(place: number, kind: string) {
    this.place = place;
    this.kind = kind;
  }

  [inspect.custom](): string {
    return `nth(${this.place}, '${this.kind}')`;
  }
}

/** To be passed where a verb takes a number that a storage gave; one that it never gave if it gave fewer. */
export function nth(place: number, kind: string): number {
  return new Nth(place, kind) as unknown as number;
}

/** The numbers of one side, which may have other gaps than those of the other. */
export class Numbers {
  readonly #seen = new Map<string, number[]>();

  /** The place of a number in the order of first sight. */
  place(number: number, kind: string): number {
    const seen = this.#seen.get(kind) ?? [];
    this.#seen.set(kind, seen);
    if (!seen.includes(number)) seen.push(number);
    return seen.indexOf(number);
  }

  of({ place, kind }: Nth): number {
    return this.#seen.get(kind)?.[place] ?? 1_000_000 + place;
  }
}

/** A call of a verb. */
export interface Call<Repository> {
  readonly verb: keyof Repository & string;
  readonly args: readonly unknown[];
}

export type Caller<Repository> = <Verb extends keyof Repository & string>(
  verb: Verb,
  ...args: Repository[Verb] extends (...args: infer Args extends readonly unknown[]) => unknown ? Args : never
) => Call<Repository>;

export interface Compared<Repository> {
  readonly contract: Contract<Repository>;
  /** What the calls of one history are made by, each as often as any other; and calls that look at what others leave. */
  calls(
    random: Random,
    call: Caller<Repository>,
  ): { any: readonly (() => Call<Repository>)[]; looks: readonly Call<Repository>[] };
  /** The result as it has to be the same on both sides: places for numbers, and lists without an order sorted. */
  view?(result: never, verb: keyof Repository & string, numbers: Numbers): unknown;
}

export function describeHistories<Repository extends object>(compared: Compared<Repository>): void {
  describe(`Histories of ${compared.contract.id}`, function () {
    this.timeout(120_000 + runs * 3000);
    for (const engine of storages) {
      it(`are on ${engine.name} what they are on tables (${runs} from TEST_SEED=${seed})`, () =>
        compareAll(engine, compared));
    }
  });
}

async function compareAll<Repository extends object>(
  engine: StorageEngine,
  compared: Compared<Repository>,
): Promise<void> {
  const given = new Map<string, unknown>();
  const call = (verb: keyof Repository & string, ...args: readonly unknown[]) => ({ verb, args });
  try {
    await property<Call<Repository>>(
      { seed, given: (name, value) => void given.set(name, value) },
      {
        ...{ runs, shrinking: 30_000 },
        generate(random) {
          const { any, looks } = compared.calls(random, call);
          const calls = random.list(1, longest, () => [random.pick(any)(), ...random.pick([[], looks])]);
          return [...calls.flat(), ...looks];
        },
        check: (calls) => compare(engine, compared, calls),
      },
    );
  } catch (error) {
    if (!given.has('seed')) throw error;
    const calls = (given.get('steps') as Call<Repository>[]).map(textOf).join('\n  ');
    throw new Error(`TEST_SEED=${given.get('seed')}\n  ${calls}\n${(error as Error).message}`, { cause: error });
  }
}

async function compare<Repository extends object>(
  engine: StorageEngine,
  { contract, view = (result) => result }: Compared<Repository>,
  calls: readonly Call<Repository>[],
): Promise<void> {
  const sql = await engine.open([contract]);
  const memory = await openMemory({ contracts: [contract], stores });
  try {
    const sides = [sql.storage, memory].map((storage) => ({
      repository: storage.repository(contract),
      numbers: new Numbers(),
    }));
    for (const call of calls) {
      const [actual, expected] = await Promise.all(
        sides.map(({ repository, numbers }) =>
          outcomeOf(repository, call, numbers, (result) => view(result as never, call.verb, numbers)),
        ),
      );
      same(actual, expected);
    }
  } finally {
    await memory.close();
    await sql.close();
  }
}

async function outcomeOf<Repository extends object>(
  repository: Repository,
  { verb, args }: Call<Repository>,
  numbers: Numbers,
  view: (result: unknown) => unknown,
): Promise<unknown> {
  const run = repository[verb] as (...args: readonly unknown[]) => unknown;
  try {
    const result = await run.apply(
      repository,
      args.map((each) => resolved(each, numbers)),
    );
    return { result: view(isStream(result) ? await listed(result) : result) };
  } catch (error) {
    if (isFault(error)) return { fault: error.code };
    throw new Error(`${verb} failed`, { cause: error });
  }
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

async function listed(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const each of stream) all.push(each);
  return all;
}

function resolved(value: unknown, numbers: Numbers): unknown {
  if (value instanceof Nth) return numbers.of(value);
  if (Array.isArray(value)) return value.map((each) => resolved(each, numbers));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(member, numbers)]));
}

function textOf({ verb, args }: { verb: string; args: readonly unknown[] }): string {
  return `${verb}(${args.map((each) => inspect(each, { depth: 9, breakLength: Infinity })).join(', ')})`;
}

/** Texts that something on the way could change or confuse. */
export const nasty = [
  'a',
  'A',
  'a ',
  ' a',
  'a\r\nb',
  'é',
  'e\u0301',
  '🧬',
  '\uffee',
  '%',
  '_',
  "'",
  '\\',
  '"',
  '',
] as const;
