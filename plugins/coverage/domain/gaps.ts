/** Finds the low-coverage regions of targets: the longest runs of bases below a depth. */
import { Fault } from '../../../core/plugin.js';
import { isD4Error } from '../d4/error.js';
import type { D4File } from '../d4/file.js';
import type { Interval } from '../d4/interval.js';
import { listOf } from './list.js';
import type { Plan } from './plan.js';
import type { Region } from './region.js';

export interface GapQuestion {
  plan: Plan;
  /** The file's names for chromosomes; those that it lacks are absent. */
  names: ReadonlyMap<string, string>;
  /** Depth in the file's own unit. */
  below: number;
  /** Gaps at most; more are an `unprocessable` fault. */
  most: number;
  signal?: AbortSignal | undefined;
}

/** Of targets without gaps. */
const none: readonly Region[] = [];

/** Bases of targets that are searched at once, so that what is found of them stays small. */
const basesAtOnce = 2 ** 20;

/** The gaps of each target, in the order of the plan. Bases that the file lacks count as depth 0. */
export async function* findGaps(file: D4File, question: GapQuestion): AsyncGenerator<readonly Region[]> {
  const { targets } = question.plan;
  const counter = new Counter(question);
  const sizes = sizesOf(file, question);
  let [from, bases] = [0, 0];
  for (let to = 0; to < targets.length; to++) {
    bases += targets.at(to)?.length ?? 0;
    if (bases < basesAtOnce && to + 1 < targets.length) continue;
    yield* gapsOf(file, question, { from, to: to + 1, sizes, counter });
    [from, bases] = [to + 1, 0];
  }
}

/** Counts gaps up to the limit. */
class Counter {
  #found = 0;
  readonly #most: number;
  readonly #below: number;

  constructor({ most, below }: GapQuestion) {
    this.#most = most;
    this.#below = below;
  }

  get left(): number {
    return this.#most - this.#found;
  }

  add(): void {
    if (++this.#found > this.#most) throw this.exceeded();
  }

  exceeded(cause?: unknown): Fault {
    const reason = `More than ${this.#most} regions are below ${this.#below}x: request fewer intervals or a lower depth`;
    return new Fault('unprocessable', reason, { cause });
  }
}

/** Bases of each chromosome that the file has, by its name in the question. */
function sizesOf(file: D4File, { names }: GapQuestion): Map<string, number> {
  const own = new Map(file.track().chromosomes.map(({ name, size }) => [name, size]));
  return new Map([...names].map(([asked, name]) => [asked, own.get(name) ?? 0]));
}

interface Portion {
  from: number;
  to: number;
  sizes: ReadonlyMap<string, number>;
  counter: Counter;
}

/** The gaps of targets [from, to): regions of one target do not touch, so that no gap continues from one into the next. */
async function* gapsOf(
  file: D4File,
  { plan, names, below, signal }: GapQuestion,
  { from, to, sizes, counter }: Portion,
): AsyncGenerator<readonly Region[]> {
  const first = plan.targets.at(from)?.from ?? 0;
  const last = plan.targets.at(to - 1)?.to ?? first;
  const places: number[] = [];
  for (let place = first; place < last; place++) {
    if (names.has((plan.regions.at(place) as Region).chromosome)) places.push(place);
  }
  const intervals = listOf(places.length, (i): Interval => {
    const { chromosome, start, end } = plan.regions.at(places[i] as number) as Region;
    return { chromosome: names.get(chromosome) as string, begin: start, end };
  });
  const runs = await runsOf(file, { intervals, runs: { below, most: counter.left }, signal }, counter);
  let read = 0;
  for (let at = from; at < to; at++) {
    const part = plan.targets.at(at);
    const gaps: Region[] = [];
    for (let place = part?.from ?? 0; place < (part?.to ?? 0); place++) {
      const { chromosome, start, end } = plan.regions.at(place) as Region;
      const own = names.has(chromosome) ? (runs[read++] ?? []) : [];
      for (let i = 0; i < own.length; i += 2) {
        counter.add();
        gaps.push({ chromosome, start: own[i] as number, end: own[i + 1] as number });
      }
      const lacking = Math.max(start, sizes.get(chromosome) ?? 0);
      if (below <= 0 || lacking >= end) continue;
      const before = gaps.at(-1);
      if (before !== undefined && before.chromosome === chromosome && before.end === lacking) before.end = end;
      else {
        counter.add();
        gaps.push({ chromosome, start: lacking, end });
      }
    }
    yield gaps.length === 0 ? none : gaps;
  }
}

type RunsRequest = Parameters<D4File['columns']>[0];

async function runsOf(file: D4File, request: RunsRequest, counter: Counter): Promise<readonly ArrayLike<number>[]> {
  try {
    return (await file.columns(request)).runs;
  } catch (error) {
    if (isD4Error(error) && error.code === 'invalid') throw counter.exceeded(error);
    throw error;
  }
}
