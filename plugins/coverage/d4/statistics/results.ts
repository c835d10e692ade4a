import { type Histogram, percentile } from './histogram.js';
import { type Sweep, sweep } from './sweep.js';

/** What is asked of a sweep, in stored integers. It can be handed to a worker. */
export interface Question {
  thresholds: readonly number[];
  range: boolean;
  percentiles: readonly number[];
  histogram: boolean;
}

/** Answers piece by piece, in columns; those that were not asked for are empty. */
export interface Results {
  sums: Float64Array;
  /** Per piece, one count per threshold. */
  counts: Float64Array;
  min: Float64Array;
  max: Float64Array;
  /** Per piece, one value per percentile. */
  percentiles: Float64Array;
  histograms: Histogram[];
}

/** Whether a question can only be answered by counting every value. */
export function needsHistogram({ range, percentiles, histogram }: Question): boolean {
  return range || percentiles.length > 0 || histogram;
}

export function emptyResults(pieces: number, question: Question): Results {
  const { thresholds, range, percentiles } = question;
  return {
    sums: new Float64Array(pieces),
    counts: new Float64Array(pieces * thresholds.length),
    min: new Float64Array(range ? pieces : 0),
    max: new Float64Array(range ? pieces : 0),
    percentiles: new Float64Array(pieces * percentiles.length),
    histograms: [],
  };
}

/** Takes what the question asks for from one piece's histogram. */
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

/** Sweeps and answers. */
export async function sweepResults(work: Omit<Sweep, 'measure' | 'histogram'>, question: Question): Promise<Results> {
  const results = emptyResults(work.pieces.begin.length, question);
  const measure = { thresholds: question.thresholds, histogram: needsHistogram(question) };
  const histogram = (piece: number, found: Histogram) => describe(results, piece, found, question);
  const { sums, counts } = await sweep({ ...work, measure, histogram });
  return { ...results, sums, counts };
}
