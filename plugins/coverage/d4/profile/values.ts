/** Walks along an interval and yields its stored integers, base by base or as runs. */
import type { Clock } from '../clock.js';
import { decode, eachRecord } from '../decode.js';
import type { Located } from '../interval.js';
import { type Kernel, unpackCodes } from '../kernel/kernel.js';
import type { Track } from '../track.js';
import { StretchReader, windowStart } from '../window.js';
import { RunBuilder } from './runs.js';

/** Some bases with their stored integers; the array is reused for the next chunk. */
export interface ValueChunk {
  begin: number;
  values: Int32Array;
}

export interface Walk {
  track: Track;
  /** Inside its chromosome. */
  located: Located;
  kernel: Kernel;
  clock: Clock;
  signal?: AbortSignal | undefined;
}

/** The stored integer of every base, in chunks of at most `unpackCodes` bases. */
export async function* walkValues({ track, located, kernel, clock, signal }: Walk): AsyncGenerator<ValueChunk> {
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
export async function* walkRuns(walk: Walk): AsyncGenerator<RunBuilder> {
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
