/** Statistics of very many intervals, as columns. */
import type { Clock } from '../clock.js';
import type { Track } from '../track.js';
import { type PieceRuns, runsAt } from './seek.js';
import { answer, rowsPerTick, type StatisticsRequest, type Sweeper } from './statistics.js';

/** A request for columns, which cannot hold histograms. */
export interface ColumnsRequest extends Omit<StatisticsRequest, 'histogram'> {
  /** Whether to add up depths; true by default. */
  sums?: boolean | undefined;
}

/**
 * Results by interval, in the order of the request. The same as `IntervalStatistics` in a sixth of the memory, for very many
 * intervals.
 */
export interface StatisticsColumns {
  /** Bases of the interval that are inside the chromosome. */
  bases: Uint32Array;
  /** In stored integers: divide by the track's denominator. Sums and means are empty if not requested. */
  sums: Float64Array;
  means: Float64Array;
  /** For each interval, one count per threshold. */
  counts: Uint32Array;
  /** Least and greatest depth; NaN for intervals without bases; empty if not requested. */
  min: Float64Array;
  max: Float64Array;
  /** For each interval, one depth per percentile; NaN for intervals without bases. */
  percentiles: Float64Array;
  /** For each interval, its runs as alternating begins and ends; empty if not requested. */
  runs: PieceRuns[];
}

/** Answers a request for one track in columns. */
export async function statisticsColumns(
  track: Track,
  request: ColumnsRequest,
  sweeper: Sweeper,
): Promise<StatisticsColumns> {
  const { question, bases, results, places, clock } = await answer(track, { ...request, histogram: false }, sweeper);
  const { denominator } = track;
  const asAsked = <T extends Float64Array | Uint32Array>(column: T, each: number, none: number) =>
    !places ? column : reorder(column, each, places, none, clock);
  const depths = async (column: Float64Array, each: number) => {
    const found = await asAsked(column, each, Number.NaN);
    if (denominator !== 1) for (let i = 0; i < found.length; i++) found[i] = (found[i] as number) / denominator;
    return found;
  };
  const sums = await asAsked(results.sums, question.sums ? 1 : 0, 0);
  const means = new Float64Array(sums.length);
  for (let i = 0; i < sums.length; i++) {
    means[i] = bases[i] === 0 ? 0 : (sums[i] as number) / (bases[i] as number) / denominator;
  }
  const ranges = question.range ? 1 : 0;
  return {
    bases,
    sums,
    means,
    counts: await asAsked(results.counts, question.thresholds.length, 0),
    min: await depths(results.min, ranges),
    max: await depths(results.max, ranges),
    percentiles: await depths(results.percentiles, question.percentiles.length),
    runs: !question.search ? [] : places ? Array.from(places, (k) => runsAt(results.runs, k)) : results.runs,
  };
}

/** Reorders a column with `each` entries per interval to the order of the intervals; `none` for intervals without results. */
async function reorder<T extends Float64Array | Uint32Array>(
  column: T,
  each: number,
  places: Int32Array,
  none: number,
  clock: Clock,
): Promise<T> {
  const length = places.length * each;
  const found = (column instanceof Float64Array ? new Float64Array(length) : new Uint32Array(length)) as T;
  for (let i = 0; i < places.length; i++) {
    if (i % rowsPerTick === 0) await clock.tick();
    const place = places[i] as number;
    for (let k = 0; k < each; k++) found[i * each + k] = place < 0 ? none : (column[place * each + k] as number);
  }
  return found;
}
