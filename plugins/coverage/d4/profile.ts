/** Depths along an interval: base by base, as runs of equal depth, or as regions below or above a threshold. */
import {
  checkInterval,
  checkLimit,
  checkOptions,
  checkWhole,
  depthTest,
  type IndexedInterval,
  type Interval,
  locate,
} from './chromosomes.js';
import { Clock } from './clock.js';
import { D4Error } from './error.js';
import { type Kernel, type KernelName, kernel, unpackCodes } from './kernel/kernel.js';
import { storedThreshold } from './statistics/statistics.js';
import type { DepthTest } from './statistics/sweep.js';
import type { D4Track } from './track.js';
import { decode, eachRecord, StretchReader, windowStart } from './window.js';

export interface ProfileOptions {
  /** Accept chr1 for 1, M for MT and so on. */
  alias?: boolean | undefined;
  signal?: AbortSignal | undefined;
  kernel?: KernelName | undefined;
}

/** Most bases whose depths are returned as one array: 256 MiB. */
const maxValues = 2 ** 25;

function walkOf(track: D4Track, interval: Interval, options: ProfileOptions): Walk {
  checkOptions(options);
  const located = locate(track, interval, options.alias);
  const { signal } = options;
  return { track, located, kernel: kernel(options.kernel), clock: new Clock(signal), signal };
}

/**
 * The depth of every base of an interval inside its chromosome. Throws D4Error `invalid` for more than 2^25 bases: use runs or
 * the means of parts instead.
 */
export async function depths(track: D4Track, interval: Interval, options: ProfileOptions = {}): Promise<Float64Array> {
  const walk = walkOf(track, interval, options);
  const { begin, end } = walk.located;
  if (end - begin > maxValues) {
    throw new D4Error('invalid', `More than ${maxValues} bases at once`, `${interval.chromosome}:${begin}-${end}`);
  }
  const found = new Float64Array(end - begin);
  for await (const chunk of walkValues(walk)) {
    const at = chunk.begin - begin;
    for (let i = 0; i < chunk.values.length; i++) found[at + i] = (chunk.values[i] as number) / track.denominator;
  }
  return found;
}

/** Runs of equal depth in an interval, as long as possible, in batches. */
export async function* runs(
  track: D4Track,
  interval: Interval,
  options: ProfileOptions = {},
): AsyncGenerator<RunBatch> {
  let last: RunBuilder | undefined;
  for await (const builder of walkRuns(walkOf(track, interval, options))) {
    last = builder;
    const batch = builder.take(interval.chromosome, track.denominator, false);
    if (batch.begins.length > 0) yield batch;
  }
  if (last) yield last.take(interval.chromosome, track.denominator, true);
}

/** Regions of an interval in which every base passes a test, as long as possible. */
export async function* stretches(
  track: D4Track,
  interval: Interval,
  test: DepthTest,
  options: ProfileOptions & { minLength?: number | undefined } = {},
): AsyncGenerator<Interval> {
  checkOptions(options);
  const { minLength = 1 } = options;
  checkLimit('minLength', minLength);
  const { below, depth } = depthTest('test', test);
  const walk = walkOf(track, interval, options);
  const threshold = storedThreshold(depth, track.denominator);
  const { chromosome } = interval;
  let begin = -1;
  let end = -1;
  for await (const builder of walkRuns(walk)) {
    for (let i = 0; i < builder.length; i++) {
      if ((builder.values[i] as number) < threshold !== below) continue;
      const from = builder.begins[i] as number;
      if (from !== end) {
        if (end - begin >= minLength && end > begin) yield { chromosome, begin, end };
        begin = from;
      }
      end = builder.ends[i] as number;
    }
    builder.length = 0;
  }
  if (end - begin >= minLength && end > begin) yield { chromosome, begin, end };
}

/** Cuts an interval into `count` parts of nearly equal length, in whole bases, for a profile; fewer if it is shorter. */
export function bins(interval: Interval, count: number): Interval[] {
  checkInterval(interval);
  checkWhole('count', count, 1, maxValues);
  const { chromosome, begin, end } = interval;
  const parts = Math.min(count, end - begin);
  const edge = (i: number) => begin + Math.floor(((end - begin) * i) / parts);
  return Array.from({ length: parts }, (_, i) => ({ chromosome, begin: edge(i), end: edge(i + 1) }));
}

// Walks along an interval and yields its stored integers, base by base or as runs.

/** Some bases with their stored integers; the array is reused for the next chunk. */
interface ValueChunk {
  begin: number;
  values: Int32Array;
}

interface Walk {
  track: D4Track;
  /** Inside its chromosome. */
  located: IndexedInterval;
  kernel: Kernel;
  clock: Clock;
  signal?: AbortSignal | undefined;
}

/** The stored integer of every base, in chunks of at most `unpackCodes` bases. */
async function* walkValues({ track, located, kernel, clock, signal }: Walk): AsyncGenerator<ValueChunk> {
  const { dictionary } = track;
  const values = new Int32Array(Math.min(unpackCodes, Math.max(0, located.end - located.begin)));
  for await (const stretch of new StretchReader(track, signal).stretches(located, unpackCodes)) {
    const { begin, end } = stretch.region;
    const chunk = values.subarray(0, end - begin);
    stretch.fill(kernel);
    decode(dictionary, stretch.records, kernel, begin - windowStart(begin), begin, chunk);
    const pause = clock.tick();
    if (pause) await pause;
    yield { begin, values: chunk };
  }
}

/** Runs of equal stored integers, collected in a builder that the caller empties after each step. */
async function* walkRuns(walk: Walk): AsyncGenerator<RunBuilder> {
  const runs = new RunBuilder();
  if (walk.track.dictionary.width === 0) yield* sparseRuns(walk, runs);
  else {
    for await (const { begin, values } of walkValues(walk)) {
      let start = 0;
      let value = values[0] as number;
      for (let i = 1; i < values.length; i++) {
        const next = values[i] as number;
        if (next === value) continue;
        runs.push(begin + start, begin + i, value);
        start = i;
        value = next;
      }
      runs.push(begin + start, begin + values.length, value);
      yield runs;
    }
  }
}

/** Without primary codes there are only records, and nothing to do for each base. */
async function* sparseRuns(
  { track, located, kernel, clock, signal }: Walk,
  runs: RunBuilder,
): AsyncGenerator<RunBuilder> {
  const { fallback } = track.dictionary;
  for await (const stretch of new StretchReader(track, signal).stretches(located)) {
    const { begin, end } = stretch.region;
    stretch.fill(kernel);
    let at = begin;
    for (const block of stretch.records) {
      eachRecord(block, Math.max(begin, block.floor), Math.min(end, block.ceiling), (from, to, value) => {
        runs.push(at, from, fallback);
        runs.push(from, to, value);
        at = to;
      });
    }
    runs.push(at, end, fallback);
    const pause = clock.tick();
    if (pause) await pause;
    yield runs;
  }
}

// Runs of equal depth, in columns.

/** Runs of equal depth on one chromosome, as columns: ascending, without overlap, zero-based half-open. */
export interface RunBatch {
  chromosome: string;
  begins: ArrayLike<number>;
  ends: ArrayLike<number>;
  depths: ArrayLike<number>;
}

/** Builds a batch from stored integers; adjacent runs of equal value are joined. */
class RunBuilder {
  begins: Uint32Array;
  ends: Uint32Array;
  values: Int32Array;
  length = 0;

  constructor(capacity = 1024) {
    this.begins = new Uint32Array(capacity);
    this.ends = new Uint32Array(capacity);
    this.values = new Int32Array(capacity);
  }

  push(begin: number, end: number, value: number): void {
    if (begin >= end) return;
    const last = this.length - 1;
    if (last >= 0 && this.values[last] === value && this.ends[last] === begin) {
      this.ends[last] = end;
      return;
    }
    if (this.length === this.begins.length) this.#grow();
    this.begins[this.length] = begin;
    this.ends[this.length] = end;
    this.values[this.length] = value;
    this.length++;
  }

  /** Removes the runs as a batch: `all` of them, or all but the last, which may continue. */
  take(chromosome: string, denominator: number, all: boolean): RunBatch {
    const count = all ? this.length : Math.max(0, this.length - 1);
    const stored = this.values.slice(0, count);
    const batch: RunBatch = {
      chromosome,
      begins: this.begins.slice(0, count),
      ends: this.ends.slice(0, count),
      depths: denominator === 1 ? stored : Float64Array.from(stored, (value) => value / denominator),
    };
    if (count < this.length) {
      this.begins[0] = this.begins[count] as number;
      this.ends[0] = this.ends[count] as number;
      this.values[0] = this.values[count] as number;
    }
    this.length -= count;
    return batch;
  }

  #grow(): void {
    const size = this.begins.length * 2;
    const { begins, ends, values } = this;
    this.begins = new Uint32Array(size);
    this.ends = new Uint32Array(size);
    this.values = new Int32Array(size);
    this.begins.set(begins);
    this.ends.set(ends);
    this.values.set(values);
  }
}
