/** Compares two tracks base by base: finds the first base at which one of them is deeper than the other. */
import { checkObject, checkTrack, chromosomeIndex, type Interval, type IntervalList } from '../chromosomes.js';
import { Clock } from '../clock.js';
import { kernel } from '../kernel/kernel.js';
import type { D4Track } from '../track.js';
import { decode, type Stretch, StretchReader, windowStart } from '../window.js';
import { piecesOf } from './statistics.js';

export interface ExcessRequest {
  /** On the chromosomes of the track that should be the deeper one. */
  intervals: readonly Interval[] | IntervalList;
  /** Accept chr1 for 1, M for MT and so on. */
  alias?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** A base at which a track is deeper than it should be. */
export interface DepthExcess {
  /** As the track that should be the deeper one names it. */
  chromosome: string;
  position: number;
  depth: number;
  /** The depth of the other track, which is less. */
  most: number;
}

/** Bases between two intervals that are cheaper to decode than a second read. */
const gap = 1024;
/** Bases that are compared at once; few of a genome's have records. */
const atOnce = 16_384;
/** Codes below 128 are compared four at a time. */
const widestOfFour = 7;
const highBits = 0x80808080;

/**
 * The first base of the intervals, by chromosome and position, at which `track` is deeper than `limit`; undefined if there is none.
 * Bases that one of the two lacks are not compared. Works on this thread, in slices of a few milliseconds. Throws D4Error.
 */
export async function firstExcess(
  track: D4Track,
  limit: D4Track,
  request: ExcessRequest,
): Promise<DepthExcess | undefined> {
  checkTrack(track);
  checkObject('request', request);
  try {
    return await compare(track, limit, request);
  } finally {
    for (const { source } of [track, limit]) source.check?.();
  }
}

async function compare(track: D4Track, limit: D4Track, request: ExcessRequest): Promise<DepthExcess | undefined> {
  const { signal } = request;
  const clock = new Clock(signal);
  const ofThread = kernel();
  const { pieces } = await piecesOf(limit, request, clock);
  const [reader, limitReader] = [new StretchReader(track, signal), new StretchReader(limit, signal)];
  const [deep, bound] = [new Int32Array(atOnce), new Int32Array(atOnce)];
  const isPlain = comparesAsCodes(track, limit);
  /** Whether all bases without records have one depth, the same in both. */
  const isAlike = [track, limit].every(({ dictionary: { width, fallback } }) => width === 0 && fallback === 0);
  const count = pieces.begin.length;
  let [chromosome, other, size, done] = [-1, -1, 0, 0];
  /** Of a piece, as far as it was not compared before and both tracks have it. */
  const beginOf = (i: number) => Math.max(done, pieces.begin[i] as number);
  const endOf = (i: number) => Math.min(size, pieces.end[i] as number);
  for (let next = 0; next < count; ) {
    if (pieces.chromosome[next] !== chromosome) {
      chromosome = pieces.chromosome[next] as number;
      other = chromosomeIndex(track.chromosomes, limit.chromosomes[chromosome]?.name ?? '', true);
      [size, done] = [track.chromosomes[other]?.size ?? 0, 0];
    }
    const begin = beginOf(next);
    if (begin >= endOf(next)) {
      next += 1;
      continue;
    }
    let [after, reach] = [next + 1, endOf(next)];
    while (after < count && pieces.chromosome[after] === chromosome) {
      if ((pieces.begin[after] as number) > Math.min(reach + gap, begin + atOnce - 1)) break;
      reach = Math.max(reach, endOf(after));
      after += 1;
    }
    const end = Math.min(reach, begin + atOnce);
    const fetched = reader.fetch({ chromosome: other, begin, end }, reach);
    const stretch = fetched instanceof Promise ? await fetched : fetched;
    const fetchedLimit = limitReader.fetch({ chromosome, begin, end }, reach);
    const limitStretch = fetchedLimit instanceof Promise ? await fetchedLimit : fetchedLimit;
    const hasRecords = stretch.records.length + limitStretch.records.length > 0;
    if (hasRecords || !(isAlike || (isPlain && isNowhereDeeper(stretch, limitStretch)))) {
      read(track, stretch, deep);
      read(limit, limitStretch, bound);
      for (let i = next; i < after; i++) {
        for (let at = beginOf(i) - begin; at < Math.min(end, endOf(i)) - begin; at++) {
          const [own, most] = [deep[at] as number, bound[at] as number];
          if (own * limit.denominator <= most * track.denominator) continue;
          const name = limit.chromosomes[chromosome]?.name ?? '';
          const depths = { depth: own / track.denominator, most: most / limit.denominator };
          return { chromosome: name, position: begin + at, ...depths };
        }
      }
    }
    done = end;
    const pause = clock.tick();
    if (pause) await pause;
  }
  return undefined;

  function read({ dictionary }: D4Track, stretch: Stretch, values: Int32Array): void {
    const { begin, end } = stretch.region;
    stretch.fill(ofThread);
    decode(dictionary, stretch.records, ofThread, begin - windowStart(begin), begin, values.subarray(0, end - begin));
  }

  /** By the codes alone. Bases between the intervals count as well. */
  function isNowhereDeeper(stretch: Stretch, limitStretch: Stretch): boolean {
    const count = stretch.region.end - stretch.region.begin;
    readCodes(limit, limitStretch, bound);
    // The rest of the last four counts as never deeper.
    readCodes(track, stretch, deep).fill(0, count, (count + 3) & ~3);
    let kept = highBits;
    // No difference of two bytes borrows from the next one.
    for (let i = 0; i << 2 < count; i++) kept &= ((bound[i] as number) | highBits) - (deep[i] as number);
    return (kept & highBits) === (highBits | 0);
  }

  /** Into the memory of the values, a byte each. */
  function readCodes({ dictionary: { width } }: D4Track, stretch: Stretch, values: Int32Array): Uint8Array {
    const { begin, end } = stretch.region;
    stretch.fill(ofThread);
    const codes = new Uint8Array(values.buffer);
    codes.set(ofThread.unpack(width, begin - windowStart(begin), end - begin));
    return codes;
  }
}

/** Whether the codes of both, of which none is a record's, compare as their depths do. */
function comparesAsCodes(track: D4Track, limit: D4Track): boolean {
  const { low } = track.dictionary;
  if (low === undefined || low !== limit.dictionary.low || track.denominator !== limit.denominator) return false;
  return [track, limit].every(({ dictionary: { width } }) => width > 0 && width <= widestOfFour);
}
