/**
 * Statistics of any number of intervals, from the request to sweeps and back to its order: as rows, as columns for very many,
 * or of all intervals together.
 */

import {
  checkInterval,
  checkLimit,
  checkObject,
  checkTrack,
  depthTest,
  findChromosome,
  type Interval,
  type IntervalColumns,
  type IntervalList,
  numbers,
} from '../chromosomes.js';
import { Clock } from '../clock.js';
import { refuse } from '../error.js';
import { type KernelName, kernel } from '../kernel/kernel.js';
import type { D4Track } from '../track.js';
import { divide, emptyPieces, type Pieces, pick, sweepOrder } from './pieces.js';
import {
  emptyResults,
  MergedResults,
  pooledQuestion,
  type Results,
  type SweepQuestion,
  shareQuestion,
  sweepResults,
} from './results.js';
import { type DepthTest, type PieceRuns, type RunSearch, runsAt } from './sweep.js';
import type { Histogram } from './tally.js';

/** What to find out about intervals, besides sum and mean, which are always returned. Depths are in the file's own unit. */
export interface StatisticsRequest {
  intervals: readonly Interval[] | IntervalList;
  /** For each, the number of bases with at least this depth. Any order; duplicates are kept. */
  thresholds?: readonly number[] | undefined;
  /** Whether to find the least and greatest depth. */
  range?: boolean | undefined;
  /** Percentiles from 0 to 100; 50 is the median. */
  percentiles?: readonly number[] | undefined;
  /** Whether to return every interval's histogram. */
  histogram?: boolean | undefined;
  /** Regions to find by depth, such as those below 10x: in the same pass, also by workers. */
  runs?: RunsRequest | undefined;
  /** Accept chr1 for 1, M for MT and so on. */
  alias?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** Regions in which every base passes a test by depth. */
export type RunsRequest = DepthTest & {
  /** Least bases of a region; 1 by default. */
  minLength?: number | undefined;
  /** Most regions of all intervals together, 2^22 by default; more are a D4Error `invalid`. */
  most?: number | undefined;
};

const mostRuns = 2 ** 22;

/** The results for one interval. */
export interface IntervalStatistics {
  /** As requested. */
  chromosome: string;
  begin: number;
  end: number;
  /** Bases of the interval that are inside the chromosome; all results are about these. */
  bases: number;
  /** Sum of depths, in stored integers: divide by the track's denominator. Exact up to 2^53. */
  sum: number;
  /** Mean depth; 0 if there are no bases. */
  mean: number;
  /** Per threshold, the bases at or above it. */
  counts: number[];
  /** Least and greatest depth, if requested and if there are bases. */
  min?: number;
  max?: number;
  /** Per requested percentile, its depth; empty if there are no bases. */
  percentiles?: number[];
  /** Depths that occur, ascending, with their number of bases. */
  histogram?: DepthCount[];
  /** Regions that pass the requested test, ascending and as long as possible. */
  runs?: { begin: number; end: number }[];
}

/** The number of bases of one depth. */
export interface DepthCount {
  depth: number;
  bases: number;
}

/** Runs sweeps, on this thread or on others. Pieces are in sweep order. */
export type Sweeper = (
  track: D4Track,
  pieces: Pieces,
  question: SweepQuestion,
  signal?: AbortSignal,
) => Promise<Results>;

/** Concurrent sweeps of a remote file, so that the network is not idle while one of them waits. */
const remoteSweeps = 4;
/** Fewest bases of a remote share: fewer are often one request anyway. */
const leastRemote = 1_000_000;

/** Sweeps on this thread, in slices of a few milliseconds. */
export function inlineSweeper(name?: KernelName): Sweeper {
  return async (track, pieces, question, signal) => {
    const work = { track, kernel: kernel(name), clock: new Clock(signal), signal };
    const count = pieces.begin.length;
    if (!track.source.remote) return sweepResults({ ...work, pieces }, question, emptyResults(count, question));
    const merged = new MergedResults(count, question, track.source.name);
    const shares = divide(pieces, remoteSweeps, leastRemote);
    await Promise.all(
      shares.map(async (share) => {
        const room = merged.room(share);
        const sweep = { ...work, pieces: share.pieces };
        merged.add(share, room, await sweepResults(sweep, shareQuestion(share, question), room));
      }),
    );
    return merged.finish();
  };
}

/** Intervals or rows that are processed between two checks of the clock. */
const rowsPerTick = 1024;

/** The results of a sweep, and how to return them in the order of the request. */
interface SweepAnswer {
  intervals: IntervalList;
  question: SweepQuestion;
  /** Per interval, its bases inside the chromosome. */
  bases: Uint32Array;
  results: Results;
  /** Per interval, its index in the results, −1 if it has no bases; undefined if the order is the same. */
  places: Int32Array | undefined;
  clock: Clock;
}

/** The intervals of a request as pieces. */
interface RequestPieces {
  /** As they were asked, whatever the caller does to an array meanwhile. */
  intervals: IntervalList;
  /** In the order of the request. */
  given: Pieces;
  /** In sweep order, without empty ones. */
  pieces: Pieces;
  /** Of each of `pieces`, its index in the request; undefined if the order is the same. */
  order: Uint32Array | undefined;
}

/** Clips the intervals to their chromosomes and puts them in sweep order. */
export async function piecesOf(
  track: D4Track,
  request: Pick<StatisticsRequest, 'intervals' | 'alias'>,
  clock: Clock,
): Promise<RequestPieces> {
  checkTrack(track);
  const { chromosomes, source } = track;
  const { alias } = request;
  const intervals = listOf(request.intervals);
  const given = emptyPieces(intervals.length);
  let name: string | undefined;
  let ordinal = 0;
  let size = 0;
  if (intervals.columns) {
    checkColumns(intervals.columns, intervals.length);
    for (const { name, from, to } of intervals.columns.stretches) {
      await clock.tick();
      if (from < to) putColumns(intervals.columns, from, to, name);
    }
  } else {
    for (let from = 0; from < intervals.length; from += rowsPerTick) {
      await clock.tick();
      put(from, Math.min(from + rowsPerTick, intervals.length));
    }
  }
  const order = await sweepOrder(given, clock);
  return { intervals, given, order, pieces: order ? await pick(given, order, clock) : given };

  function enter(chromosome: string): void {
    name = chromosome;
    ordinal = findChromosome(chromosomes, name, { alias, place: source.name });
    size = chromosomes[ordinal]?.size ?? 0;
  }

  function putColumns({ begins, ends }: IntervalColumns, from: number, to: number, chromosome: string): void {
    enter(chromosome);
    given.chromosome.fill(ordinal, from, to);
    for (let i = from; i < to; i++) {
      const [begin, end] = [begins[i] as number, ends[i] as number];
      if (end < begin) checkInterval({ chromosome, begin, end });
      given.begin[i] = Math.min(begin, size);
      given.end[i] = Math.min(end, size);
    }
  }

  function put(from: number, to: number): void {
    for (let i = from; i < to; i++) {
      const interval = intervals.at(i);
      checkInterval(interval);
      // Neighbours mostly share their chromosome.
      if (interval.chromosome !== name) enter(interval.chromosome);
      given.chromosome[i] = ordinal;
      given.begin[i] = Math.min(interval.begin, size);
      given.end[i] = Math.min(interval.end, size);
    }
  }
}

function listOf(intervals: StatisticsRequest['intervals']): IntervalList {
  if (Array.isArray(intervals)) return intervals.slice();
  const isList = typeof intervals === 'object' && typeof intervals?.at === 'function';
  if (!isList || !(Number.isSafeInteger(intervals.length) && intervals.length >= 0)) {
    refuse('intervals', 'an array of intervals, or a list with length and at', intervals);
  }
  return intervals;
}

function checkColumns({ begins, ends, stretches }: IntervalColumns, length: number): void {
  const hasColumns = [begins, ends].every((column) => column instanceof Uint32Array && column.length === length);
  if (!hasColumns) refuse('begins and ends of columns', `Uint32Arrays of ${length} values`, { begins, ends });
  let at = 0;
  for (const { from, to } of stretches) at = from === at && to >= at ? to : Number.NaN;
  if (at !== length) refuse('stretches of columns', `one after the other, from 0 to ${length}`, stretches);
}

/** Sweeps one track for a request. */
async function answer(
  track: D4Track,
  request: StatisticsRequest & { sums?: boolean | undefined },
  sweeper: Sweeper,
): Promise<SweepAnswer> {
  checkObject('request', request);
  const { signal } = request;
  const thresholds = numbers('thresholds', request.thresholds);
  const percentiles = numbers('percentiles', request.percentiles, [0, 100]);
  const { denominator } = track;
  const clock = new Clock(signal);
  const question: SweepQuestion = {
    sums: request.sums ?? true,
    thresholds: thresholds.map((threshold) => storedThreshold(threshold, denominator)),
    range: request.range ?? false,
    percentiles,
    histogram: request.histogram ?? false,
    search: request.runs && searchOf(request.runs, denominator),
  };

  const { intervals, given, order, pieces } = await piecesOf(track, request, clock);
  const results = await sweeper(track, pieces, question, signal);

  const places = order && new Int32Array(intervals.length).fill(-1);
  if (places) for (let k = 0; k < order.length; k++) places[order[k] as number] = k;
  const bases = given.end;
  for (let i = 0; i < bases.length; i++) bases[i] = (bases[i] as number) - (given.begin[i] as number);
  return { intervals, question, bases, results, places, clock };
}

/** Statistics of one track, in the order of the request's intervals. */
export async function statistics(
  track: D4Track,
  request: StatisticsRequest,
  sweeper: Sweeper,
): Promise<IntervalStatistics[]> {
  const rows: IntervalStatistics[] = [];
  for await (const some of statisticsRows(track, request, sweeper)) for (const row of some) rows.push(row);
  return rows;
}

/** The same in slices of at most `rowsPerTick` rows, which are made when they are taken. */
export async function* statisticsRows(
  track: D4Track,
  request: StatisticsRequest,
  sweeper: Sweeper,
): AsyncGenerator<IntervalStatistics[]> {
  const { intervals, question, bases: all, results, places, clock } = await answer(track, request, sweeper);
  const { thresholds, percentiles } = question;
  const { denominator } = track;
  for (let from = 0; from < all.length; from += rowsPerTick) {
    await clock.tick();
    const rows: IntervalStatistics[] = [];
    for (let i = from; i < Math.min(from + rowsPerTick, all.length); i++) {
      rows.push(row(intervals.at(i) as Interval, all[i] as number, places ? (places[i] as number) : i));
    }
    yield rows;
  }

  /** One interval's results, which are at place `k`; −1 when it has no bases. */
  function row({ chromosome, begin, end }: Interval, bases: number, k: number): IntervalStatistics {
    const sum = k < 0 ? 0 : (results.sums[k] as number);
    const mean = k < 0 ? 0 : sum / bases / denominator;
    const counts = new Array<number>(thresholds.length);
    for (let t = 0; t < counts.length; t++) counts[t] = k < 0 ? 0 : (results.counts[k * counts.length + t] as number);
    const found: IntervalStatistics = { chromosome, begin, end, bases, sum, mean, counts };
    if (question.range && k >= 0) {
      found.min = (results.min[k] as number) / denominator;
      found.max = (results.max[k] as number) / denominator;
    }
    if (percentiles.length > 0) {
      const from = Math.max(0, k) * percentiles.length;
      const own = k < 0 ? [] : results.percentiles.subarray(from, from + percentiles.length);
      found.percentiles = Array.from(own, (value) => value / denominator);
    }
    if (question.histogram) found.histogram = k < 0 ? [] : depthCounts(results.histograms[k] as Histogram, denominator);
    if (question.search) found.runs = pairs(runsAt(results.runs, k));
    return found;
  }
}

function pairs(runs: ArrayLike<number>): { begin: number; end: number }[] {
  return Array.from({ length: runs.length / 2 }, (_, i) => ({
    begin: runs[2 * i] as number,
    end: runs[2 * i + 1] as number,
  }));
}

function searchOf(runs: RunsRequest, denominator: number): RunSearch {
  const { below, depth } = depthTest('runs', runs);
  const { minLength = 1, most = mostRuns } = runs;
  checkLimit('minLength', minLength);
  checkLimit('most', most);
  return { threshold: storedThreshold(depth, denominator), below, minLength, most };
}

/** A histogram with depths instead of stored integers. */
function depthCounts({ values, counts }: Histogram, denominator: number): DepthCount[] {
  return Array.from(values, (value, i) => ({ depth: value / denominator, bases: counts[i] as number }));
}

/**
 * The least stored integer whose depth reaches a threshold. It is found by dividing, as depths are made, because multiplying may
 * round to the other side: 0.7 × 10 is more than 7.
 */
export function storedThreshold(threshold: number, denominator: number): number {
  // Stored integers have 32 bits: beyond them it is all or nothing, and numbers would soon be too large to count.
  let stored = Math.max(-(2 ** 31), Math.min(2 ** 31, Math.ceil(threshold * denominator)));
  if (Math.abs(stored) === 2 ** 31) return stored;
  while ((stored - 1) / denominator >= threshold) stored--;
  while (stored / denominator < threshold) stored++;
  return stored;
}

// Statistics of very many intervals, as columns.

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
  track: D4Track,
  request: ColumnsRequest,
  sweeper: Sweeper,
): Promise<StatisticsColumns> {
  const { question, bases, results, places, clock } = await answer(
    track,
    request && { ...request, histogram: false },
    sweeper,
  );
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

// The depths of all intervals together, without results for each.

export type PooledRequest = Pick<StatisticsRequest, 'intervals' | 'alias' | 'signal'>;

/** One histogram, in memory that does not grow with the number of intervals beyond their coordinates. */
export async function pooledHistogram(track: D4Track, request: PooledRequest, sweeper: Sweeper): Promise<DepthCount[]> {
  checkObject('request', request);
  const { pieces } = await piecesOf(track, request, new Clock(request.signal));
  const { histograms } = await sweeper(track, pieces, pooledQuestion, request.signal);
  return histograms.flatMap((histogram) => depthCounts(histogram, track.denominator));
}
