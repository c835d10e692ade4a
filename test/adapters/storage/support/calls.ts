/** Histories of calls of verbs, in which some look at what others left. */
import { inspect } from 'node:util';
import type { Contract } from '../../../../core/storage.js';
import type { Random } from '../../../conformance/core.js';
import type { History, Notes } from './history.js';

/** Calls of a history, before those that look. */
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

/** As a history: a call, and as often as not the looks. */
export function historyOf<Repository extends object>({
  contract,
  calls,
  view = (result) => result,
}: Compared<Repository>): History<Repository, Call<Repository>> {
  return {
    contract,
    steps(random) {
      const { any, looks } = calls(random, (verb, ...args) => ({ verb, args }));
      const drawn = random.list(1, longest, () => [random.pick(any)(), ...random.pick([[], looks])]);
      return [...drawn.flat(), ...looks];
    },
    async perform(repository, { verb, args }, notes) {
      const numbers = numbersIn(notes);
      const run = repository[verb] as (...args: readonly unknown[]) => unknown;
      const given = args.map((each) => resolved(each, numbers));
      const result = await run.apply(repository, given);
      return view((isStream(result) ? await listed(result) : result) as never, verb, numbers);
    },
  };
}

function numbersIn(notes: Notes): Numbers {
  const numbers = (notes.get('numbers') as Numbers | undefined) ?? new Numbers();
  notes.set('numbers', numbers);
  return numbers;
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
