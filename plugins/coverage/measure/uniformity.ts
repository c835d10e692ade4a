/**
 * The depths of a sample's bases: their histogram, the cumulative curve, how evenly the reads are spread, and the depth along a
 * stretch. Each figure is computed from exact counts.
 */
import { bins, chromosomeIndex, type DepthCount } from '../d4/index.js';
import { type DepthFiles, namesInFile, type Sample } from './measure.js';
import { intervalsIn, lengthOfRegions, type RegionColumns } from './region.js';

export interface Uniformity {
  /** Sum of the depths of all distinct bases divided by their number. */
  mean: number;
  /** Type 7 of Hyndman and Fan, as the quartiles. */
  median: number;
  quartiles: readonly [first: number, third: number];
  max: number;
  /** The least depth that a fifth of the bases do not exceed. */
  percentile20: number;
  /** Mean divided by `percentile20`; undefined if that is 0. */
  fold80: number | undefined;
  /** The same of the bases of targets with at least one read, as Picard documents it (but does not compute it). */
  fold80Nonzero: number | undefined;
  /** Fraction of the bases with at least a fifth of the mean depth. */
  atFifthOfMean: number;
  /** Mean of min(depth, mean), divided by the mean: 1 if every base has the mean depth. Undefined if no base has depth. */
  evenness: number | undefined;
  /** (Q3 - Q1) / median. Undefined if the divisor is 0, as below. */
  cqvOfMedian: number | undefined;
  /** (Q3 - Q1) / (Q3 + Q1). */
  cqv: number | undefined;
  zeroTargets: number;
  targets: number;
  /** For each of `picardDepths`, the fraction of the bases at or above it. */
  atDepth: readonly number[];
}

/** The depths of `PCT_TARGET_BASES_1X` and so on, as far as reports state them. */
export const picardDepths = [1, 2, 10, 20, 30, 40, 50, 100] as const;

export interface TargetCounts {
  targets: number;
  /** Targets of which no base has depth, and the distinct bases that are in no other target. */
  zero: { targets: number; bases: number };
}

/** Undefined if there are no bases. */
export function uniformityOfDepths(histogram: DepthHistogram, { targets, zero }: TargetCounts): Uniformity | undefined {
  const length = basesOf(histogram);
  if (length === 0) return undefined;
  const sum = sumOf(histogram);
  const mean = sum / length;
  const [first, median, third] = [0.25, 0.5, 0.75].map((fraction) => quantileOf(histogram, length, fraction)) as [
    number,
    number,
    number,
  ];
  const percentile20 = depthPercentile(histogram, length, 20);
  const nonzero = withoutZeros(histogram, zero.bases);
  const nonzeroLength = length - zero.bases;
  const fold80 = ratio(mean, percentile20);
  const fold80Nonzero =
    nonzeroLength === 0 ? undefined : ratio(sum / nonzeroLength, depthPercentile(nonzero, nonzeroLength, 20));
  // Compared without dividing, so that a base at just a fifth of the mean counts.
  const atFifth = countWhere(histogram, (depth) => 5 * depth * length >= sum);
  const capped = histogram.reduce((all, { depth, bases }) => all + Math.min(depth, mean) * bases, 0);
  const evenness = ratio(capped / length, mean);
  const cqvOfMedian = ratio(third - first, median);
  const cqv = ratio(third - first, third + first);
  return {
    mean,
    median,
    quartiles: [first, third],
    max: histogram.findLast(({ bases }) => bases > 0)?.depth ?? 0,
    percentile20,
    fold80,
    fold80Nonzero,
    atFifthOfMean: atFifth / length,
    evenness,
    cqvOfMedian,
    cqv,
    zeroTargets: zero.targets,
    targets,
    atDepth: picardDepths.map((least) => countWhere(histogram, (depth) => depth >= least) / length),
  };
}

function ratio(value: number, divisor: number): number | undefined {
  return divisor === 0 ? undefined : value / divisor;
}

function sumOf(histogram: DepthHistogram): number {
  return histogram.reduce((sum, { depth, bases }) => sum + depth * bases, 0);
}

function countWhere(histogram: DepthHistogram, isCounted: (depth: number) => boolean): number {
  return histogram.reduce((sum, { depth, bases }) => (isCounted(depth) ? sum + bases : sum), 0);
}

function withoutZeros(histogram: DepthHistogram, zeros: number): DepthHistogram {
  if (zeros === 0) return histogram;
  return histogram.map(({ depth, bases }) => ({ depth, bases: depth === 0 ? bases - zeros : bases }));
}

/** The least depth that this percentage of the bases do not exceed, as Picard's histograms define it. */
function depthPercentile(histogram: DepthHistogram, length: number, percent: number): number {
  let before = 0;
  for (const { depth, bases } of histogram) {
    before += bases;
    if (before * 100 >= percent * length && before > 0) return depth;
  }
  return 0;
}

function quantileOf(histogram: DepthHistogram, length: number, fraction: number): number {
  const place = (length - 1) * fraction;
  const [below, above] = [Math.floor(place), Math.ceil(place)].map((rank) => depthAt(histogram, rank)) as [
    number,
    number,
  ];
  return below + (above - below) * (place - Math.floor(place));
}

/** The depth of the base at a rank, counted from 0. */
function depthAt(histogram: DepthHistogram, rank: number): number {
  let before = 0;
  for (const { depth, bases } of histogram) {
    before += bases;
    if (rank < before) return depth;
  }
  return 0;
}

// How many of a sample's distinct bases have each depth: what the cumulative curve and the uniformity are computed from.

/** Ascending by depth. Bases that the file lacks have depth 0. */
type DepthHistogram = readonly DepthCount[];

/** Takes one more pass over the distinct regions. */
export function depthHistogram(
  files: DepthFiles,
  { location }: Sample,
  { distinct, signal }: { distinct: RegionColumns; signal: AbortSignal },
): Promise<DepthHistogram> {
  return files.use(location, async (file) => {
    const { chromosomes } = file.track();
    const { intervals } = intervalsIn(distinct, namesInFile(chromosomes, distinct.chromosomes));
    const found = await file.histogram({ intervals, signal });
    const missing = lengthOfRegions(distinct) - basesOf(found);
    if (missing === 0) return found;
    const [first] = found;
    const zeros = first?.depth === 0 ? first.bases : 0;
    return [{ depth: 0, bases: zeros + missing }, ...found.slice(first?.depth === 0 ? 1 : 0)];
  });
}

function basesOf(histogram: DepthHistogram): number {
  return histogram.reduce((sum, { bases }) => sum + bases, 0);
}

// Cumulative coverage of a sample: for each depth, the fraction of distinct bases at or above it.

export interface DepthCurve {
  /** Ascending from 0, with every requested threshold up to the greatest depth of the curve. */
  depths: number[];
  /** Exact fractions from 0 to 1 of all distinct bases; bases that the file lacks have depth 0. */
  shares: number[];
}

const points = 60;

/** Depths at which curves are drawn: up to twice the greatest mean, with the thresholds. */
export function curveDepths(means: readonly number[], thresholds: readonly number[], level: number): number[] {
  const end = Math.ceil(Math.max(level * 1.25, 2 * Math.max(0, ...means), 20));
  const step = Math.max(1, Math.ceil(end / points));
  const even = Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);
  const own = thresholds.filter((threshold) => threshold <= end);
  return [...new Set([...even, end, ...own])].sort((a, b) => a - b);
}

/** Undefined if there are no bases. */
export function depthCurve(histogram: DepthHistogram, depths: readonly number[]): DepthCurve | undefined {
  const length = basesOf(histogram);
  if (length === 0) return undefined;
  const reached = (depth: number) =>
    histogram.reduce((sum, { depth: own, bases }) => (own >= depth ? sum + bases : sum), 0);
  return { depths: [...depths], shares: depths.map((depth) => reached(depth) / length) };
}

// Depth along stretches of a chromosome, in bins: what a plot of a transcript shows.

export interface DepthBin {
  start: number;
  end: number;
  mean: number;
  min: number;
}

/** An exon or an intron. */
interface ProfiledPiece {
  start: number;
  end: number;
  /** Number of bins to divide it into; at most its bases. */
  bins: number;
}

/** The bins of each piece; none if the file lacks the chromosome. Bases beyond its end have depth 0. */
export function depthProfile(
  files: DepthFiles,
  { location }: Sample,
  { chromosome, pieces, signal }: { chromosome: string; pieces: readonly ProfiledPiece[]; signal: AbortSignal },
): Promise<DepthBin[][]> {
  return files.use(location, async (file) => {
    const { chromosomes } = file.track();
    const own = chromosomes[chromosomeIndex(chromosomes, chromosome, true)];
    if (own === undefined) return pieces.map(() => []);
    const parts = pieces.map((piece) => bins({ chromosome: own.name, begin: piece.start, end: piece.end }, piece.bins));
    const { means, min, bases } = await file.columns({ intervals: parts.flat(), range: true, signal });
    let at = 0;
    return parts.map((list) =>
      list.map(({ begin, end }): DepthBin => {
        const i = at++;
        return { start: begin, end, mean: means[i] ?? 0, min: bases[i] ? (min[i] as number) : 0 };
      }),
    );
  });
}
