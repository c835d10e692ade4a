/** Random cases that can be repeated: generated from a seed, and shrunk before they are shown. */
import type { CaseContext } from './case.js';

/** A small pseudorandom number generator (mulberry32): the same seed gives the same numbers everywhere. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** True with this probability: 0 never, 1 always. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.int(0, items.length - 1)];
    if (item === undefined) throw new RangeError('Nothing to pick from');
    return item;
  }

  /** A list of `min` to `max` items. */
  list<Item>(min: number, max: number, make: () => Item): Item[] {
    return Array.from({ length: this.int(min, max) }, make);
  }

  /** Some of the items, in a random order. */
  some<Item>(items: readonly Item[]): Item[] {
    return this.shuffled(items.filter(() => this.chance(0.5)));
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, rank: this.next() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  }
}

export interface Property<Step> {
  /** The number of sequences to try. */
  runs: number;
  generate(random: Random): Step[];
  /** Throws if the sequence shows a difference. Starts from fresh state: nothing may be left over from the call before. */
  check(steps: readonly Step[]): Promise<void>;
  /** How long a failing sequence is shrunk, in milliseconds: the test runner's own timeout must not hide the failure. */
  shrinking?: number;
}

/**
 * Tries random sequences of steps. The first that fails is shortened by leaving out steps, recorded with its seed as the
 * case's input, and its error is thrown.
 */
export async function property<Step>(
  context: Pick<CaseContext<unknown>, 'seed' | 'given'>,
  tried: Property<Step>,
): Promise<void> {
  for (let run = 0; run < tried.runs; run++) {
    const seed = context.seed + run;
    const steps = tried.generate(new Random(seed));
    const error = await failureOf(tried, steps);
    if (error === undefined) continue;
    const smallest = await shrink(tried, steps, error.thrown);
    // Run again, so that the calls that the failure shows are those of these steps.
    const last = await failureOf(tried, smallest.steps);
    context.given('seed', seed);
    context.given('steps', smallest.steps);
    throw last ? last.thrown : smallest.error;
  }
}

async function failureOf<Step>(
  tried: Property<Step>,
  steps: readonly Step[],
): Promise<{ thrown: unknown } | undefined> {
  try {
    await tried.check(steps);
    return undefined;
  } catch (thrown) {
    return { thrown };
  }
}

/** Leaves out steps, half of them and then fewer at a time, as long as the rest still fails and the time is not over. */
async function shrink<Step>(tried: Property<Step>, failing: readonly Step[], error: unknown) {
  const until = Date.now() + (tried.shrinking ?? 5000);
  let smallest = { steps: failing, error };
  for (let size = Math.ceil(failing.length / 2), shorter = false; size > 0; ) {
    shorter = false;
    for (let i = smallest.steps.length - size; i > -size && Date.now() < until; i -= size) {
      const steps = smallest.steps.toSpliced(Math.max(i, 0), size + Math.min(i, 0));
      const failure = await failureOf(tried, steps);
      if (!failure) continue;
      smallest = { steps, error: failure.thrown };
      shorter = true;
    }
    if (size > 1 || !shorter) size = Math.floor(size / 2);
  }
  return smallest;
}
