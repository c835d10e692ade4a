/** One pass over the pieces of a track, which adds up all statistics at once. */
import type { Clock } from '../clock.js';
import type { Kernel } from '../kernel/kernel.js';
import type { Track } from '../track.js';
import { fetchStretch, likelySpans, windowBases, windowStart } from '../window.js';
import type { Histogram } from './histogram.js';
import type { Pieces } from './pieces.js';
import { type PieceRuns, type Search, Seeker } from './seek.js';
import { type Measure, Tally, type Totals } from './tally.js';

export interface Sweep {
  track: Track;
  /** In sweep order. */
  pieces: Pieces;
  measure: Measure;
  /** Zeros, to be added to. */
  totals: Totals;
  kernel: Kernel;
  clock: Clock;
  signal?: AbortSignal | undefined;
  /** Receives the histogram of each piece if one is counted, or that of all pieces together as piece 0. */
  histogram?: (piece: number, histogram: Histogram) => void;
  search?: Search | undefined;
  /** Receives the runs of each piece, if some are searched. */
  runs?: (piece: number, runs: PieceRuns) => void;
}

/** Bytes between two pieces that are cheaper to read than a second read. */
const gapBytes = 16 * 1024;

/** Pieces whose bytes a remote reader requests together. */
const piecesAhead = 32;

/** Fetches what pieces [from, to) will probably need together, so that they do not wait for the network one by one. */
async function prefetch(track: Track, pieces: Pieces, from: number, to: number, signal?: AbortSignal): Promise<void> {
  // A single piece is fetched when its turn comes.
  if (to - from < 2) return;
  const longest = windowBases(track.dictionary.width);
  const spans = [];
  for (let i = from; i < to; i++) {
    const begin = pieces.begin[i] as number;
    const end = Math.min(pieces.end[i] as number, begin + longest);
    spans.push(...likelySpans(track, pieces.chromosome[i] as number, begin, end));
  }
  if (spans.length > 0) await track.source.fetch(spans, signal);
}

/**
 * Measures all pieces in one pass over the file: windows move along each chromosome over the union of the pieces, and every
 * window is added to all pieces that overlap it.
 */
export async function sweep({
  track,
  pieces,
  measure,
  totals,
  kernel,
  clock,
  signal,
  histogram,
  search,
  runs,
}: Sweep): Promise<void> {
  const { width } = track.dictionary;
  const tally = new Tally(totals, track.dictionary, measure, kernel);
  const seeker = search && new Seeker(track.dictionary, search, kernel, track.source.name);
  const longest = windowBases(width);
  const gap = width === 0 ? longest : (gapBytes * 8) / width;
  const begins = pieces.begin;
  const ends = pieces.end;
  const count = begins.length;
  let active: number[] = [];
  let next = 0;
  let cursor = 0;
  let chromosome = 0;
  let prefetched = 0;
  while (next < count || active.length > 0) {
    if (active.length === 0) {
      chromosome = pieces.chromosome[next] as number;
      cursor = begins[next] as number;
    }
    if (track.source.remote && next < count && next >= prefetched) {
      prefetched = Math.min(count, next + piecesAhead);
      await prefetch(track, pieces, next, prefetched, signal);
    }
    const limit = cursor + longest;
    let reach = cursor;
    for (const piece of active) reach = Math.max(reach, ends[piece] as number);
    while (next < count && pieces.chromosome[next] === chromosome) {
      const begin = begins[next] as number;
      if (begin >= limit || begin > reach + gap) break;
      tally.begin(next, (ends[next] as number) - begin);
      active.push(next);
      reach = Math.max(reach, ends[next] as number);
      next++;
    }
    const stop = Math.min(reach, limit);
    const stretch = await fetchStretch(track, chromosome, cursor, stop, reach, signal);
    stretch.fill(kernel);
    const origin = windowStart(cursor);
    const left: number[] = [];
    for (const [i, piece] of active.entries()) {
      const pause = seeker || i % 16 === 0 ? clock.tick() : undefined;
      if (pause) {
        await pause;
        // Other work on this thread may have used the window meanwhile.
        stretch.fill(kernel);
      }
      const begin = Math.max(cursor, begins[piece] as number);
      const end = Math.min(stop, ends[piece] as number);
      if (begin < end) {
        tally.addCodes(piece, begin - origin, end - begin);
        for (const block of stretch.records) tally.addRecords(piece, block, begin, end);
        seeker?.add(piece, stretch.records, origin, begin, end);
      }
      if ((ends[piece] as number) > stop) left.push(piece);
      else {
        const finished = tally.finish(piece);
        if (finished) histogram?.(piece, finished);
        if (seeker) runs?.(piece, seeker.finish(piece));
      }
    }
    active = left;
    cursor = stop;
  }
  const pooled = tally.finishPooled();
  if (pooled) histogram?.(0, pooled);
}
