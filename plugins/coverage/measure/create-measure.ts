/**
 * Measures targets in D4 files: creates `Measure` and `MeasureColumns`, which read the statistics of all regions in one pass
 * over each file.
 */
import { Fault } from '../../../core/plugin.js';
import { type ColumnsRequest, chromosomeIndex, type D4File, fingerprintD4 } from '../d4/index.js';
import { findGaps, type PlanLayer, type ReadPlan, type RegionGroup, readPlanOf } from './gaps.js';
import {
  cappedWarning,
  capThresholds,
  checkBuild,
  type DepthFiles,
  type DepthLayer,
  type Depths,
  type FailedSample,
  fileWarnings,
  isAboutFile,
  type Measure,
  type MeasureColumns,
  type MeasureQuestion,
  namesInFile,
  type SampleDepths,
  type Warning,
} from './measure.js';
import { intervalsIn, type List, lazyList, mappedList, type Region } from './region.js';

interface MeasureLimits {
  /** Gaps of one sample in all targets together. */
  gaps: number;
  /** Counts of one question: targets × samples × (1 + thresholds). */
  counts: number;
}

export function createMeasure(files: DepthFiles, limits: MeasureLimits): Measure {
  const measure = createMeasureColumns(files, limits);
  return async (question) => {
    const { samples, ...measured } = await measure(question);
    return { ...measured, samples: samples.map((sample) => ({ ...sample, targets: [...sample.targets] })) };
  };
}

export function createMeasureColumns(files: DepthFiles, limits: MeasureLimits): MeasureColumns {
  return async (question) => {
    const thresholds = [...new Set(question.thresholds)].sort((a, b) => a - b);
    checkSize(question.targets.length * question.samples.length * (1 + thresholds.length), limits);
    const plan = readPlanOf(question.targets, question.beside);
    // The first sample that fails stops the work on the others.
    const failed = new AbortController();
    const signal = question.signal === undefined ? failed.signal : AbortSignal.any([question.signal, failed.signal]);
    const work = question.samples.map(async (sample): Promise<SampleDepths | FailedSample> => {
      const { name, location, unique } = sample;
      const measure = (file: D4File, more: Partial<MeasureQuestion> = {}) =>
        measureFile(file, name, { ...question, thresholds, signal, ...more }, plan, limits);
      try {
        if (unique === undefined) return await files.use(location, (file) => measure(file));
        const { measureBoth } = await import('./unique.js');
        return await measureBoth(files, { ...sample, unique }, { plan, measure, signal });
      } catch (error) {
        if (question.keepSound && isAboutFile(error)) return { name, fault: error };
        throw error;
      }
    });
    try {
      const outcomes = await Promise.all(work);
      return {
        thresholds,
        samples: outcomes.filter((one) => 'targets' in one),
        failed: outcomes.filter((one) => 'fault' in one),
      };
    } catch (error) {
      failed.abort(error);
      await Promise.allSettled(work);
      throw error;
    }
  };
}

function checkSize(counts: number, { counts: most }: MeasureLimits): void {
  if (counts <= most) return;
  throw new Fault(
    'too-large',
    `The request needs ${counts} counts (intervals × samples × (1 + thresholds)); the limit is ${most}`,
  );
}

async function measureFile(
  file: D4File,
  name: string,
  question: MeasureQuestion,
  plan: ReadPlan,
  limits: MeasureLimits,
): Promise<SampleDepths> {
  const { thresholds, signal, distribution = false, gapsBelow } = question;
  const track = file.track();
  const { denominator } = track;
  const warnings: Warning[] = [
    ...fileWarnings(file),
    ...(question.build === undefined ? [] : checkBuild(track, question.build)),
  ];
  const names = namesInFile(track.chromosomes, plan.chromosomes);
  warnings.push(...absenceWarnings(track.chromosomes, plan, names));

  // Regions on chromosomes that the file lacks are not read; `places` are the indexes of the others among those read.
  const { intervals, places: read } = intervalsIn(plan.read.regions, names);
  const places = new Int32Array(plan.read.regions.length).fill(-1);
  for (const [i, place] of read.entries()) places[place] = i;
  const caps = capThresholds(track);
  const request = { intervals, thresholds: [...thresholds, ...caps], signal };
  const several = distribution && plan.several;
  const found: RegionStatistics = several
    ? await readHistograms(file, request)
    : await readStatistics(file, request, distribution);

  const depthsOf = ({ from, to, length }: RegionGroup, withDistribution: boolean): Depths & { reached: number[] } => {
    let [measured, stored] = [0, 0];
    const reached = new Array<number>(request.thresholds.length).fill(0);
    const rows: number[] = [];
    for (let i = from; i < to; i++) {
      const place = places[plan.read.places?.[i] ?? i] as number;
      if (place < 0) continue;
      if (withDistribution) rows.push(place);
      measured += found.bases[place] as number;
      stored += found.sums[place] as number;
      for (let t = 0; t < reached.length; t++) {
        reached[t] = (reached[t] as number) + (found.counts[place * reached.length + t] as number);
      }
    }
    const sum = stored / denominator;
    const depths = { length, measured, sum, mean: length === 0 ? 0 : sum / length, reached };
    return withDistribution && measured > 0 ? Object.assign(depths, found.distribution(rows)) : depths;
  };
  const withoutCaps = (depths: Depths & { reached: number[] }): Depths => {
    depths.reached.length = thresholds.length;
    return depths;
  };

  const pooled = depthsOf(plan.pooled, false);
  if (pooled.measured === 0 && plan.regions.length > 0) throw nothingMeasured(plan, warnings);
  warnings.push(...cappedWarning(track, pooled.reached.slice(thresholds.length)));
  const depthsAt = (i: number) => withoutCaps(depthsOf(plan.targets.at(i) as RegionGroup, distribution));
  let targets: List<Depths> = lazyList(plan.targets.length, depthsAt);
  // Histograms are merged once, and then released.
  if (several) targets = [...targets];
  if (gapsBelow !== undefined) {
    const gaps: (readonly Region[])[] = [];
    for await (const own of findGaps(file, { plan, names, below: gapsBelow, most: limits.gaps, signal })) {
      gaps.push(own);
    }
    targets = mappedList(targets, (depths, i) => Object.assign(depths, { gaps: gaps[i] as readonly Region[] }));
  }
  const layer = (own: PlanLayer): DepthLayer => ({
    targets: mappedList(own.targets, (part) => withoutCaps(depthsOf(part, false))),
    pooled: withoutCaps(depthsOf(own.pooled, false)),
  });
  const beside = Object.fromEntries(Object.entries(plan.beside).map(([key, own]) => [key, layer(own)]));
  return { name, file: { fingerprint: fingerprintD4(file) }, targets, pooled: withoutCaps(pooled), beside, warnings };
}

function absenceWarnings(
  chromosomes: readonly { name: string; size: number }[],
  { regions, chromosomes: asked }: ReadPlan,
  names: ReadonlyMap<string, string>,
): Warning[] {
  const missing = asked.filter((name) => !names.has(name));
  const sizes = new Map(
    asked.map((name) => [name, chromosomes[chromosomeIndex(chromosomes, names.get(name) ?? '')]?.size ?? Infinity]),
  );
  const beyond = new Map<string, string>();
  for (const { chromosome, start, end } of regions) {
    if (end > (sizes.get(chromosome) ?? Infinity)) beyond.set(`${chromosome}:${start}-${end}`, chromosome);
  }
  const warnings: Warning[] = missing.map((name) => ({
    code: 'missing-chromosome',
    message: `The coverage file has no chromosome ${name}: no depths in the file, counted as 0.`,
  }));
  const [first] = beyond;
  if (first !== undefined) {
    const [place, chromosome] = first;
    const others = beyond.size > 1 ? ` (and ${beyond.size - 1} more)` : '';
    warnings.push({
      code: 'beyond-end',
      message:
        `${place}${others} ends beyond chromosome ${chromosome}, which has ${sizes.get(chromosome)} bases in the ` +
        'coverage file: no depths beyond its end, counted as 0.',
    });
  }
  return warnings;
}

function nothingMeasured({ chromosomes }: ReadPlan, warnings: readonly Warning[]): Fault {
  const reasons = warnings
    .filter(({ code }) => code === 'missing-chromosome' || code === 'beyond-end')
    .slice(0, 3)
    .map(({ message }) => message.replace(/: [^:]* counted as 0\.$/, ''));
  return new Fault(
    'unprocessable',
    `The coverage file has no base of the requested intervals: ${reasons.join('; ') || chromosomes.join(', ')}`,
  );
}

// Statistics of intervals from one pass over a D4 file, in columns indexed by interval.

interface Distribution {
  min: number;
  max: number;
  median: number;
}

interface RegionStatistics {
  bases: ArrayLike<number>;
  /** Sums of stored values: depths times the track's denominator. */
  sums: ArrayLike<number>;
  /** For each interval, one count per threshold. */
  counts: ArrayLike<number>;
  /** Of the intervals at these places, pooled; they must have at least one base. */
  distribution(places: readonly number[]): Distribution;
}

type StatisticsQuestion = Pick<ColumnsRequest, 'intervals' | 'thresholds' | 'signal'>;

/** Reads statistics whose `distribution` accepts a single interval only. */
async function readStatistics(
  file: D4File,
  request: StatisticsQuestion,
  distribution: boolean,
): Promise<RegionStatistics> {
  const columns = await file.columns(distribution ? { ...request, range: true, percentiles: [50] } : request);
  const { bases, sums, counts, min, max, percentiles } = columns;
  return {
    bases,
    sums,
    counts,
    distribution([place = 0]) {
      return { min: min[place] as number, max: max[place] as number, median: percentiles[place] as number };
    },
  };
}

/** Reads statistics whose `distribution` pools any intervals, which needs a histogram of each. */
async function readHistograms(file: D4File, request: StatisticsQuestion): Promise<RegionStatistics> {
  const rows = await file.statistics({ ...request, histogram: true });
  return {
    bases: rows.map(({ bases }) => bases),
    sums: rows.map(({ sum }) => sum),
    counts: rows.flatMap(({ counts }) => counts),
    distribution: (places) => distributionOf(places.map((place) => rows[place]?.histogram ?? [])),
  };
}

function distributionOf(histograms: readonly (readonly { depth: number; bases: number }[])[]): Distribution {
  const counts = new Map<number, number>();
  for (const histogram of histograms) {
    for (const { depth, bases } of histogram) counts.set(depth, (counts.get(depth) ?? 0) + bases);
  }
  const depths = [...counts].sort(([a], [b]) => a - b);
  const total = depths.reduce((sum, [, bases]) => sum + bases, 0);
  /** The depth of the base at a rank, counted from 0. */
  const at = (rank: number): number => {
    let before = 0;
    for (const [depth, bases] of depths) {
      before += bases;
      if (rank < before) return depth;
    }
    return Number.NaN;
  };
  const median = (at(Math.floor((total - 1) / 2)) + at(Math.floor(total / 2))) / 2;
  return { min: at(0), max: at(total - 1), median };
}
