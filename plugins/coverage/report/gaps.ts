/** The regions below the level in intervals that are not fully covered, for any number of targets in bounded memory. */
import { spelledLike } from '../d4/names.js';
import type { List } from '../domain/list.js';
import type { DepthFiles, Depths, Measure } from '../domain/measure.js';
import { Numbers } from '../domain/numbers.js';
import { type Region, union } from '../domain/region.js';
import { RegionColumns } from '../domain/region-columns.js';
import { Pace } from './pace.js';
import type { Measurement, ReportData } from './report-data.js';
import type { ReportTarget } from './target.js';

/** The gaps of one target: those of each sample, in the order of the samples. */
export interface TargetGaps {
  target: ReportTarget;
  /** Its place among the targets. */
  at: number;
  gaps: readonly (readonly Region[])[];
}

/** The gaps of very many targets, in columns. */
export class GapColumns implements List<TargetGaps> {
  readonly #targets: List<ReportTarget>;
  readonly #samples: number;
  readonly #places = new Numbers();
  readonly #regions = new RegionColumns();
  /** Where the regions of each sample end, target by target. */
  readonly #ends = new Numbers();

  constructor({ targets, samples }: ReportData) {
    this.#targets = targets;
    this.#samples = samples.length;
  }

  get length(): number {
    return this.#places.length;
  }

  /** Regions of all targets and samples. */
  get regions(): number {
    return this.#regions.length;
  }

  push({ at, gaps }: TargetGaps): void {
    this.#places.push(at);
    for (const list of gaps) {
      for (const gap of list) this.#regions.push(gap);
      this.#ends.push(this.#regions.length);
    }
  }

  at(place: number): TargetGaps | undefined {
    if (!(place >= 0 && place < this.length)) return undefined;
    const at = this.#places.at(place);
    const gaps = Array.from({ length: this.#samples }, (_, sample) => {
      const list = place * this.#samples + sample;
      const from = list === 0 ? 0 : this.#ends.at(list - 1);
      const length = this.#ends.at(list) - from;
      return Array.from({ length }, (_gap, i) => this.#regions.at(from + i) as Region);
    });
    return { target: this.#targets.at(at) as ReportTarget, at, gaps };
  }

  *[Symbol.iterator](): Generator<TargetGaps> {
    for (let place = 0; place < this.length; place++) yield this.at(place) as TargetGaps;
  }
}

/** Bases below the level that are looked through at once: there cannot be more gaps than bases. */
const basesAtOnce = 4000;

/** Target by target, in their order; those that every sample covers are left out. */
export async function* targetGaps(measure: Measure, data: ReportData, signal: AbortSignal): AsyncGenerator<TargetGaps> {
  // Each portion is measured quickly, and there may be very many.
  const pace = new Pace();
  let portion: number[] = [];
  let bases = 0;
  for (const { at, missing } of incomplete(data)) {
    if (portion.length > 0 && bases + missing > basesAtOnce) {
      await pace.turn();
      yield* gapsOf(measure, data, portion, signal);
      [portion, bases] = [[], 0];
    }
    portion.push(at);
    bases += missing;
  }
  if (portion.length > 0) yield* gapsOf(measure, data, portion, signal);
}

function* incomplete({ targets, samples, level }: ReportData): Generator<{ at: number; missing: number }> {
  for (let at = 0; at < targets.length; at++) {
    const missing = Math.max(...samples.map(({ depths }) => missingOf(depths.targets.at(at), level)));
    if (missing > 0) yield { at, missing };
  }
}

function missingOf(depths: Depths | undefined, level: number): number {
  return depths === undefined ? 0 : depths.length - (depths.reached[level] ?? 0);
}

async function* gapsOf(
  measure: Measure,
  { request: { build, level }, targets: all, samples }: ReportData,
  portion: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<TargetGaps> {
  const bySample = await Promise.all(
    samples.map(async ({ source, depths }) => {
      // What the file lacks as a whole is one gap, and not to be asked for again.
      const asked = portion.filter((at) => (depths.targets.at(at)?.measured ?? 0) > 0);
      if (asked.length === 0) return new Map<number, readonly Region[]>();
      const targets = asked.map((at) => all.at(at) as ReportTarget);
      const { samples: answers } = await measure({
        ...{ samples: [source], targets, thresholds: [], build, gapsBelow: level, signal },
      });
      return new Map(asked.map((at, i) => [at, answers[0]?.targets[i]?.gaps ?? []]));
    }),
  );
  for (const at of portion) {
    const target = all.at(at) as ReportTarget;
    yield { target, at, gaps: bySample.map((found) => found.get(at) ?? union(target.regions)) };
  }
}

/** A gap with the depth of its bases. */
export interface MeasuredGap extends Region {
  mean: number;
  min: number;
}

/** The gaps with their mean and least depth (0 if the file has no such bases), on the file's own names of chromosomes. */
export function gapDepths(
  files: DepthFiles,
  { source: { location } }: Measurement,
  gaps: readonly Region[],
  signal: AbortSignal,
): Promise<MeasuredGap[]> {
  return files.use(location, async (file) => {
    const { chromosomes } = file.track();
    const named = gaps.map((gap) => ({ ...gap, chromosome: spelledLike(chromosomes, gap.chromosome) }));
    const known = new Set(chromosomes.map(({ name }) => name));
    const present = named.filter(({ chromosome }) => known.has(chromosome));
    const intervals = present.map(({ chromosome, start, end }) => ({ chromosome, begin: start, end }));
    const { means, min, bases } = await file.columns({ intervals, range: true, signal });
    const places = new Map(present.map((gap, i) => [gap, i]));
    return named.map((gap): MeasuredGap => {
      const i = places.get(gap) ?? -1;
      return { ...gap, mean: means[i] ?? 0, min: bases[i] ? (min[i] as number) : 0 };
    });
  });
}
