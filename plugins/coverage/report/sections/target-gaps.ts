/** The low-coverage regions (gaps) of a report's targets, for any number of targets in bounded memory. */
import { spelledLike } from '../../d4/index.js';
import { findGaps, readPlanOf } from '../../measure/gaps.js';
import { type DepthFiles, type Depths, namesInFile } from '../../measure/measure.js';
import { type List, Numbers, type Region, RegionColumns } from '../../measure/region.js';
import { Pace } from '../../measure/work-queue.js';
import { isIncomplete, type Measurement, type ReportData } from '../data.js';
import { isCoding, type ReportTarget } from '../targets.js';

/** The gaps of one target. */
export interface TargetGaps {
  target: ReportTarget;
  /** Its place in the targets. */
  at: number;
  /** Of each sample, in the order of the samples. */
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

/** Bases below the threshold that are searched at once: there cannot be more gaps than bases. */
const basesAtOnce = 20_000;

/** The gaps of targets that some sample does not cover fully, in the order of the targets and in portions of bounded size. */
export async function* gapPortions(
  files: DepthFiles,
  data: ReportData,
  signal: AbortSignal,
): AsyncGenerator<TargetGaps[]> {
  // A portion takes little time, and there may be very many.
  const pace = new Pace();
  let portion: number[] = [];
  let bases = 0;
  for (const { at, missing } of incomplete(data)) {
    if (portion.length > 0 && bases + missing > basesAtOnce) {
      await pace.turn();
      yield await gapsOfPortion(files, data, portion, signal);
      [portion, bases] = [[], 0];
    }
    portion.push(at);
    bases += missing;
  }
  if (portion.length > 0) yield await gapsOfPortion(files, data, portion, signal);
}

function* incomplete({ targets, samples, level }: ReportData): Generator<{ at: number; missing: number }> {
  for (let at = 0; at < targets.length; at++) {
    let missing = 0;
    for (const { depths } of samples) missing = Math.max(missing, missingOf(depths.targets.at(at), level));
    if (missing > 0) yield { at, missing };
  }
}

function missingOf(depths: Depths | undefined, level: number): number {
  return depths === undefined ? 0 : depths.length - (depths.reached[level] ?? 0);
}

async function gapsOfPortion(
  files: DepthFiles,
  { request: { level }, targets: all, samples }: ReportData,
  portion: readonly number[],
  signal: AbortSignal,
): Promise<TargetGaps[]> {
  const targets = portion.map((at) => all.at(at) as ReportTarget);
  const plan = readPlanOf(targets);
  const bySample: (readonly Region[])[][] = [];
  for (const { source } of samples) {
    const lists = await files.use(source.location, async (file) => {
      const names = namesInFile(file.track().chromosomes, plan.chromosomes);
      const own: (readonly Region[])[] = [];
      const question = { plan, names, below: level, most: Number.POSITIVE_INFINITY, signal };
      for await (const gaps of findGaps(file, question)) own.push(gaps);
      return own;
    });
    bySample.push(lists);
  }
  return portion.map((at, i) => {
    return { target: targets[i] as ReportTarget, at, gaps: bySample.map((lists) => lists[i] ?? []) };
  });
}

/** A gap with the depth of its bases. */
export interface MeasuredGap extends Region {
  mean: number;
  min: number;
}

/** The gaps with their mean and least depth (0 if the file lacks the bases), with the file's own chromosome names. */
export function gapDepths(
  files: DepthFiles,
  { source: { location } }: Measurement,
  gaps: readonly Region[],
  signal: AbortSignal,
): Promise<MeasuredGap[]> {
  return files.use(location, async (file) => {
    const { chromosomes } = file.track();
    const named = gaps.map(({ chromosome, start, end }): Region => {
      return { chromosome: spelledLike(chromosomes, chromosome), start, end };
    });
    const known = new Set(chromosomes.map(({ name }) => name));
    const present = named.filter(({ chromosome }) => known.has(chromosome));
    const intervals = present.map(({ chromosome, start, end }) => ({ chromosome, begin: start, end }));
    const { means, min, bases } = await file.columns({ intervals, range: true, signal });
    const places = new Map(present.map((gap, i) => [gap, i]));
    return named.map((gap): MeasuredGap => {
      const i = places.get(gap) ?? -1;
      return Object.assign(gap, { mean: means[i] ?? 0, min: bases[i] ? (min[i] as number) : 0 });
    });
  });
}

/** Low-coverage regions that a page lists; exports have all of them. */
const mostGaps = 1500;

/** All gaps, or those of as many targets as a page lists; and how many incomplete targets a page does not show. */
export async function listedGaps(
  files: DepthFiles,
  data: ReportData,
  which: 'listed' | 'all',
  signal: AbortSignal,
): Promise<{ list: GapColumns; shown: number; further: number }> {
  const most = which === 'all' ? Number.POSITIVE_INFINITY : mostGaps;
  let further = 0;
  for (let at = 0; at < data.targets.length; at++) if (isIncomplete(data, at)) further += 1;
  const list = new GapColumns(data);
  let shown = 0;
  for await (const portion of gapPortions(files, data, signal)) {
    for (const one of portion) {
      if (list.regions < mostGaps) {
        shown = list.length + 1;
        if (isIncomplete(data, one.at)) further -= 1;
      }
      if (list.regions < most) list.push(one);
    }
    if (list.regions >= most) break;
  }
  return { list, shown, further };
}

/** Compares the intervals of these gaps, if anything is compared. */
export async function compareGaps(
  { comparison }: ReportData,
  gaps: Iterable<{ target: ReportTarget; gaps: readonly (readonly Region[])[] }> | GapColumns,
  signal: AbortSignal,
): Promise<void> {
  if (comparison === undefined) return;
  const intervals: (readonly Region[])[] = [];
  for (const { target, gaps: bySample } of gaps) {
    for (const gap of bySample.flat()) intervals.push(intervalOfGap(target, gap));
  }
  await comparison.addGaps(intervals, signal);
}

/**
 * The interval that decides of which kind a gap is: the exon (of coding bases: the coding part with splice bases) with most of its
 * bases, else the whole target.
 */
export function intervalOfGap(target: ReportTarget, gap: Region): readonly Region[] {
  const { model, regions } = target;
  if (model === undefined) return regions;
  const shared = (part: Region) => Math.min(part.end, gap.end) - Math.max(part.start, gap.start);
  const parts = (isCoding(target) ? regions : model.exons).filter((part) => shared(part) > 0);
  const [best] = parts.sort((a, b) => shared(b) - shared(a));
  return best === undefined ? regions : [best];
}
