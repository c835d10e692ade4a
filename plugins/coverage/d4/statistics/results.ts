/** The results of a sweep, as columns in memory that threads share, and how those of shares are merged. */
import { type SweepShare, sharedMemory } from './pieces.js';
import { checkNumber, joinRuns, type PieceRuns, type RunSearch, type Sweep, sweep } from './sweep.js';
import { type Histogram, merge, percentile } from './tally.js';

/** What a sweep is to find out, in stored integers. It can be sent to a worker. */
export interface SweepQuestion {
  /** Whether to add up depths. */
  sums: boolean;
  thresholds: readonly number[];
  range: boolean;
  percentiles: readonly number[];
  histogram: boolean;
  /** The only result is one histogram, of all pieces together. */
  pooled?: boolean;
  /** Runs of bases by depth to look for, if any. */
  search?: RunSearch | undefined;
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
export function needsHistogram({ range, percentiles, histogram }: SweepQuestion): boolean {
  return range || percentiles.length > 0 || histogram;
}

/** The question for one histogram of all pieces together. */
export const pooledQuestion: SweepQuestion = {
  sums: false,
  thresholds: [],
  range: false,
  percentiles: [],
  histogram: true,
  pooled: true,
};

/** Empty columns in shared memory, which workers write and the caller reads. */
export function emptyResults(count: number, question: SweepQuestion): Results {
  const { sums, thresholds, range, percentiles, pooled } = question;
  const pieces = pooled ? 0 : count;
  const column = (length: number) => new Float64Array(sharedMemory(length * Float64Array.BYTES_PER_ELEMENT));
  return {
    sums: column(sums ? pieces : 0),
    counts: new Uint32Array(sharedMemory(pieces * thresholds.length * Uint32Array.BYTES_PER_ELEMENT)),
    min: column(range ? pieces : 0),
    max: column(range ? pieces : 0),
    percentiles: column(pieces * percentiles.length),
    histograms: [],
    runs: [],
  };
}

/** The part of the columns for pieces [from, to). Histograms and runs are separate. */
function roomFor(results: Results, from: number, to: number, question: SweepQuestion): Results {
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
function describePiece(results: Results, piece: number, histogram: Histogram, question: SweepQuestion): void {
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
  question: SweepQuestion,
  results: Results,
): Promise<Results> {
  const { sums, thresholds, pooled = false } = question;
  const measure = { sums, thresholds, histogram: needsHistogram(question), pooled };
  const histogram = (piece: number, found: Histogram) => describePiece(results, piece, found, question);
  const runs = (piece: number, found: PieceRuns) => {
    results.runs[piece] = found;
  };
  try {
    await sweep({ ...work, measure, totals: results, histogram, search: question.search, runs });
  } finally {
    work.track.source.check?.();
  }
  return results;
}

// Merges the results of shares into those of the whole sweep.

/** The question for a part of a piece: its histogram instead of percentiles, and its runs however short, since they may continue. */
export function shareQuestion({ partial }: SweepShare, question: SweepQuestion): SweepQuestion {
  if (!partial) return question;
  const search = question.search && { ...question.search, partial: true };
  if (!needsHistogram(question)) return { ...question, search };
  return { ...question, search, range: false, percentiles: [], histogram: true };
}

/** Collects the results of shares. */
export class MergedResults {
  readonly #results: Results;
  readonly #question: SweepQuestion;
  readonly #parts = new Map<number, Histogram[]>();
  readonly #runs = new Map<number, PieceRuns[]>();
  readonly #place: string;

  /** `place` names the file in errors. */
  constructor(count: number, question: SweepQuestion, place: string) {
    this.#place = place;
    this.#results = emptyResults(count, question);
    this.#question = question;
  }

  /** The room for the results of a share: whole pieces write directly into the final result. */
  room(share: SweepShare): Results {
    const { first, pieces, partial } = share;
    if (partial) return emptyResults(1, shareQuestion(share, this.#question));
    return roomFor(this.#results, first, first + pieces.begin.length, this.#question);
  }

  /** Adds the results of a share, once its room is filled. */
  add({ first, partial }: SweepShare, room: Results, { histograms, runs }: Pick<Results, 'histograms' | 'runs'>): void {
    const { sums, counts } = this.#results;
    if (this.#question.pooled) this.#addParts(0, histograms);
    else if (partial) {
      if (this.#question.sums) sums[first] = (sums[first] as number) + (room.sums[0] as number);
      const at = first * room.counts.length;
      for (let t = 0; t < room.counts.length; t++) {
        counts[at + t] = (counts[at + t] as number) + (room.counts[t] as number);
      }
      this.#addParts(first, histograms);
      append(this.#runs, first, runs);
    } else {
      for (let i = 0; i < histograms.length; i++) this.#results.histograms[first + i] = histograms[i] as Histogram;
      for (let i = 0; i < runs.length; i++) this.#results.runs[first + i] = runs[i] as PieceRuns;
    }
  }

  #addParts(target: number, parts: readonly Histogram[]): void {
    append(this.#parts, target, parts);
  }

  finish(): Results {
    for (const [target, parts] of this.#parts) {
      if (parts.length > 0) describePiece(this.#results, target, merge(parts), this.#question);
    }
    const { search } = this.#question;
    if (search) {
      const { runs } = this.#results;
      for (const [target, parts] of this.#runs) runs[target] = joinRuns(parts, search.minLength);
      const found = runs.reduce((sum, { length }) => sum + length / 2, 0);
      checkNumber(found, search.most, this.#place);
    }
    return this.#results;
  }
}

function append<Value>(lists: Map<number, Value[]>, at: number, values: readonly Value[]): void {
  const list = lists.get(at);
  if (list === undefined) lists.set(at, [...values]);
  else for (const value of values) list.push(value);
}
