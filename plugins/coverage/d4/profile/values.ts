import type { Clock } from '../clock.js';
import type { Located } from '../interval.js';
import { type Kernel, unpackCodes } from '../kernel/kernel.js';
import { firstEndingAfter, type RecordBlock, recordBegin, recordLength, recordValue } from '../secondary/block.js';
import type { Track } from '../track.js';
import { fetchStretch, type Stretch, windowBases, windowStart } from '../window.js';
import { RunBuilder } from './runs.js';

/** A stretch of bases with its stored integers; the array is reused by the next one. */
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

/** Every base's stored integer, in stretches of at most `unpackCodes` bases. */
export async function* walkValues({ track, located, kernel, clock, signal }: Walk): AsyncGenerator<ValueChunk> {
  const { dictionary } = track;
  const values = new Int32Array(Math.min(unpackCodes, Math.max(0, located.end - located.begin)));
  const longest = Math.min(windowBases(dictionary.width), unpackCodes);
  for (let begin = located.begin; begin < located.end; begin += longest) {
    const end = Math.min(begin + longest, located.end);
    const stretch = await fetchStretch(track, located.chromosome, begin, end, located.end, signal);
    const chunk = values.subarray(0, end - begin);
    decode(track, stretch, kernel, begin, chunk);
    const pause = clock.tick();
    if (pause) await pause;
    yield { begin, values: chunk };
  }
}

function decode({ dictionary }: Track, stretch: Stretch, kernel: Kernel, begin: number, values: Int32Array): void {
  const { width, low, mask, fallback, values: table } = dictionary;
  if (width === 0) values.fill(fallback);
  else {
    stretch.fill(kernel);
    const codes = kernel.unpack(width, begin - windowStart(begin), values.length);
    if (low === undefined) for (let i = 0; i < values.length; i++) values[i] = table[codes[i] as number] as number;
    else for (let i = 0; i < values.length; i++) values[i] = (codes[i] as number) + low;
  }
  const end = begin + values.length;
  // A dictionary may hold a value twice; where it cannot, a value tells its code.
  const hides = table.indexOf(fallback) === mask;
  for (const block of stretch.records) {
    const from = Math.max(begin, block.floor);
    const to = Math.min(end, block.ceiling);
    eachRecord(block, from, to, (recordFrom, recordTo, value) => {
      for (let i = recordFrom - begin; i < recordTo - begin; i++) {
        if (!hides || values[i] === fallback) values[i] = value;
      }
    });
  }
}

/** Calls back with each record's part of [from, to). */
function eachRecord(
  block: RecordBlock,
  from: number,
  to: number,
  visit: (begin: number, end: number, value: number) => void,
): void {
  const { words, count } = block;
  for (let i = firstEndingAfter(block, from); i < count; i++) {
    const start = recordBegin(words, i);
    if (start >= to) return;
    visit(Math.max(from, start), Math.min(to, start + recordLength(words, i)), recordValue(words, i));
  }
}

/** Stretches of equal stored integers, gathered in a builder that the caller empties after each step. */
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

/** Without primary codes the records are all there is: nothing needs to be done for each base. */
async function* sparseRuns({ track, located, clock, signal }: Walk, runs: RunBuilder): AsyncGenerator<RunBuilder> {
  const { fallback, width } = track.dictionary;
  const longest = windowBases(width);
  for (let begin = located.begin; begin < located.end; begin += longest) {
    const end = Math.min(begin + longest, located.end);
    const stretch = await fetchStretch(track, located.chromosome, begin, end, located.end, signal);
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
