/** The results of a sweep, as columns in memory that threads share. */
import { type Histogram, percentile } from './histogram.js';
import type { PieceRuns, Search } from './seek.js';
import { type Sweep, sweep } from './sweep.js';

/** What a sweep is to find out, in stored integers. It can be sent to a worker. */
export interface Question {
  /** Whether to add up depths. */
  sums: boolean;
  thresholds: readonly number[];
  range: boolean;
  percentiles: readonly number[];
  histogram: boolean;
  /** The only result is one histogram, of all pieces together. */
  pooled?: boolean;
  /** Runs of bases by depth to look for, if any. */
  search?: Search | undefined;
}

/** Results by piece, as columns; columns that were not requested are empty. */
export interface Results {
  sums: Float64Array;
  /** Per piece, one count per threshold; no more than a chromosome has bases. */
  counts: Uint32Array;
  min: Float64Array;
  max: Float64Array;
  /** Per piece, one value per percentile. */
  percentiles: Float64Array;
  histograms: Histogram[];
  runs: PieceRuns[];
}

/** Whether a question needs a count of every value. */
export function needsHistogram({ range, percentiles, histogram }: Question): boolean {
  return range || percentiles.length > 0 || histogram;
}

/** The question for one histogram of all pieces together. */
export const pooledQuestion: Question = {
  sums: false,
  thresholds: [],
  range: false,
  percentiles: [],
  histogram: true,
  pooled: true,
};

/** Empty columns in shared memory, which workers write and the caller reads. */
export function emptyResults(count: number, question: Question): Results {
  const { sums, thresholds, range, percentiles, pooled } = question;
  const pieces = pooled ? 0 : count;
  const column = (length: number) => new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT));
  return {
    sums: column(sums ? pieces : 0),
    counts: new Uint32Array(new SharedArrayBuffer(pieces * thresholds.length * Uint32Array.BYTES_PER_ELEMENT)),
    min: column(range ? pieces : 0),
    max: column(range ? pieces : 0),
    percentiles: column(pieces * percentiles.length),
    histograms: [],
    runs: [],
  };
}

/** The part of the columns for pieces [from, to). Histograms and runs are separate. */
export function roomFor(results: Results, from: number, to: number, question: Question): Results {
  const { sums, counts, min, max, percentiles } = results;
  const part = <T extends Float64Array | Uint32Array>(column: T, each: number) =>
    column.subarray(from * each, to * each) as T;
  return {
    sums: part(sums, 1),
    counts: part(counts, question.thresholds.length),
    min: part(min, 1),
    max: part(max, 1),
    percentiles: part(percentiles, question.percentiles.length),
    histograms: [],
    runs: [],
  };
}

/** Derives the requested results from the histogram of a piece. */
export function describe(results: Results, piece: number, histogram: Histogram, question: Question): void {
  if (question.range) {
    results.min[piece] = histogram.values[0] as number;
    results.max[piece] = histogram.values.at(-1) as number;
  }
  question.percentiles.forEach((percent, i) => {
    results.percentiles[piece * question.percentiles.length + i] = percentile(histogram, percent) as number;
  });
  if (question.histogram) results.histograms[piece] = histogram;
}

/** Sweeps, and fills the empty columns. */
export async function sweepResults(
  work: Omit<Sweep, 'measure' | 'histogram' | 'totals' | 'search' | 'runs'>,
  question: Question,
  results: Results,
): Promise<Results> {
  const { sums, thresholds, pooled = false } = question;
  const measure = { sums, thresholds, histogram: needsHistogram(question), pooled };
  const histogram = (piece: number, found: Histogram) => describe(results, piece, found, question);
  const runs = (piece: number, found: PieceRuns) => {
    results.runs[piece] = found;
  };
  await sweep({ ...work, measure, totals: results, histogram, search: question.search, runs });
  return results;
}
