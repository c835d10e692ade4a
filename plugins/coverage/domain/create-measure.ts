/** Measures targets in D4 files: creates `Measure` and `MeasureColumns`. */
import { Fault, isFault } from '../../../core/plugin.js';
import type { D4File } from '../d4/file.js';
import { chromosomeIndex } from '../d4/names.js';
import { checkBuild } from './build.js';
import { cappedWarning, capThresholds, fileWarnings } from './file-warnings.js';
import { findGaps } from './gaps.js';
import { intervalsIn } from './intervals-in.js';
import { type List, listOf, mapped } from './list.js';
import { FileFault } from './location.js';
import type {
  DepthFiles,
  DepthLayer,
  Depths,
  FailedSample,
  Measure,
  MeasureColumns,
  Question,
  SampleDepths,
  Warning,
} from './measure.js';
import { namesInFile } from './names.js';
import { type Part, type Plan, type PlanLayer, planOf } from './plan.js';
import type { Region } from './region.js';
import { type RegionStatistics, readHistograms, readStatistics } from './region-statistics.js';

export interface MeasureLimits {
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
    const plan = planOf(question.targets, question.beside);
    // The first sample that fails stops the work on the others.
    const failed = new AbortController();
    const signal = question.signal === undefined ? failed.signal : AbortSignal.any([question.signal, failed.signal]);
    const work = question.samples.map(async ({ name, location }): Promise<SampleDepths | FailedSample> => {
      try {
        return await files.use(location, (file) =>
          measureFile(file, name, { ...question, thresholds, signal }, plan, limits),
        );
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

/** Whether the error is about one file: other files may well be sound. */
export function isAboutFile(error: unknown): error is Fault {
  if (!isFault(error)) return false;
  return error.code === 'not-found' || error.code === 'unprocessable' || error instanceof FileFault;
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
  question: Question,
  plan: Plan,
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

  const depthsOf = ({ from, to, length }: Part, withDistribution: boolean): Depths & { reached: number[] } => {
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
  const depthsAt = (i: number) => withoutCaps(depthsOf(plan.targets.at(i) as Part, distribution));
  let targets: List<Depths> = listOf(plan.targets.length, depthsAt);
  // Histograms are merged once, and then released.
  if (several) targets = [...targets];
  if (gapsBelow !== undefined) {
    const gaps: (readonly Region[])[] = [];
    for await (const own of findGaps(file, { plan, names, below: gapsBelow, most: limits.gaps, signal })) {
      gaps.push(own);
    }
    targets = mapped(targets, (depths, i) => Object.assign(depths, { gaps: gaps[i] as readonly Region[] }));
  }
  const layer = (own: PlanLayer): DepthLayer => ({
    targets: mapped(own.targets, (part) => withoutCaps(depthsOf(part, false))),
    pooled: withoutCaps(depthsOf(own.pooled, false)),
  });
  const beside = Object.fromEntries(Object.entries(plan.beside).map(([key, own]) => [key, layer(own)]));
  return { name, file: { fingerprint: file.fingerprint() }, targets, pooled: withoutCaps(pooled), beside, warnings };
}

function absenceWarnings(
  chromosomes: readonly { name: string; size: number }[],
  { regions, chromosomes: asked }: Plan,
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

function nothingMeasured({ chromosomes }: Plan, warnings: readonly Warning[]): Fault {
  const reasons = warnings
    .filter(({ code }) => code === 'missing-chromosome' || code === 'beyond-end')
    .slice(0, 3)
    .map(({ message }) => message.replace(/: [^:]* counted as 0\.$/, ''));
  return new Fault(
    'unprocessable',
    `The coverage file has no base of the requested intervals: ${reasons.join('; ') || chromosomes.join(', ')}`,
  );
}
