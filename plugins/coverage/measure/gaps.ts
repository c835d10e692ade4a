/**
 * Plans the regions to read to measure targets, the same for every sample, and finds their low-coverage regions: the longest
 * runs of bases below a depth.
 */
import { Fault } from '../../../core/plugin.js';
import { type D4File, type Interval, isD4Error } from '../d4/index.js';
import type { Target } from './measure.js';
import { type List, lazyList, lengthOfRegions, type Region, RegionColumns, union } from './region.js';

interface GapQuestion {
  plan: ReadPlan;
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
    yield* gapsOfTargets(file, question, { from, to: to + 1, sizes, counter });
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

interface GapPortion {
  from: number;
  to: number;
  sizes: ReadonlyMap<string, number>;
  counter: Counter;
}

/** The gaps of targets [from, to): regions of one target do not touch, so that no gap continues from one into the next. */
async function* gapsOfTargets(
  file: D4File,
  { plan, names, below, signal }: GapQuestion,
  { from, to, sizes, counter }: GapPortion,
): AsyncGenerator<readonly Region[]> {
  const first = plan.targets.at(from)?.from ?? 0;
  const last = plan.targets.at(to - 1)?.to ?? first;
  const places: number[] = [];
  for (let place = first; place < last; place++) {
    if (names.has((plan.regions.at(place) as Region).chromosome)) places.push(place);
  }
  const intervals = lazyList(places.length, (i): Interval => {
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

type GapRuns = Parameters<D4File['columns']>[0];

async function runsOf(file: D4File, request: GapRuns, counter: Counter): Promise<readonly ArrayLike<number>[]> {
  try {
    return (await file.columns(request)).runs;
  } catch (error) {
    if (isD4Error(error) && error.code === 'invalid') throw counter.exceeded(error);
    throw error;
  }
}

// The regions to read to measure targets.

/** The regions [from, to) of `Plan.regions`, measured as one. */
export interface RegionGroup {
  from: number;
  to: number;
  /** Distinct bases. */
  length: number;
}

/** Targets, and all of them together: their own regions if these do not overlap. */
export interface PlanLayer {
  targets: List<RegionGroup>;
  pooled: RegionGroup;
}

export interface ReadPlan extends PlanLayer {
  /** Those of each target without overlaps, and of all targets together if these overlap; then of what is measured beside them. */
  regions: List<Region>;
  /** What is read, as many regions are in several targets or layers: see `RegionColumns.distinct`. */
  read: { regions: List<Region>; places?: Uint32Array };
  /** Whether some target has several regions. */
  several: boolean;
  beside: Readonly<Record<string, PlanLayer>>;
  /** Chromosome names as requested. */
  chromosomes: readonly string[];
}

export function readPlanOf(targets: List<Target>, beside: Readonly<Record<string, List<Target>>> = {}): ReadPlan {
  const regions = new RegionColumns(targets.length);
  const own = layerOf(targets, regions);
  const others = Object.entries(beside).map(([name, layer]) => [name, layerOf(layer, regions)] as const);
  const read = regions.distinct();
  return { ...own, regions, read, beside: Object.fromEntries(others), chromosomes: regions.chromosomes };
}

/** Adds the regions of the targets, those of each without overlaps. */
function layerOf(targets: List<Target>, regions: RegionColumns): PlanLayer & { several: boolean } {
  const before = regions.length;
  const ends = new Uint32Array(targets.length);
  const lengths = new Float64Array(targets.length);
  let [target, bases, several] = [0, 0, false];
  for (const { regions: given } of targets) {
    const own = given.length === 1 ? given : union(given);
    for (const region of own) regions.push(region);
    several ||= own.length > 1;
    lengths[target] = lengthOfRegions(own);
    bases += lengths[target] as number;
    ends[target] = regions.length;
    target += 1;
  }
  const parts = lazyList(targets.length, (i): RegionGroup => {
    return { from: ends[i - 1] ?? before, to: ends[i] as number, length: lengths[i] as number };
  });
  const distinct = regions.union(before);
  const pooled = { from: before, to: regions.length, length: lengthOfRegions(distinct) };
  if (pooled.length !== bases) {
    pooled.from = regions.length;
    for (const region of distinct) regions.push(region);
    pooled.to = regions.length;
  }
  return { targets: parts, pooled, several };
}
