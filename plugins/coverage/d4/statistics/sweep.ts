/** One pass over the pieces of a track, which adds up all statistics at once. */
import type { Clock } from '../clock.js';
import type { Kernel } from '../kernel/kernel.js';
import type { Track } from '../track.js';
import { likelySpans, type Stretch, StretchReader, windowBases, windowStart } from '../window.js';
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

/** Pieces that are measured between two checks of the clock. */
const piecesPerTick = 16;

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
    spans.push(...likelySpans(track, { chromosome: pieces.chromosome[i] as number, begin, end }));
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
  const reader = new StretchReader(track, signal);
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
    const fetched = reader.fetch({ chromosome, begin: cursor, end: stop }, reach);
    const stretch = fetched instanceof Promise ? await fetched : fetched;
    stretch.fill(kernel);
    for (let i = 0; i < active.length; ) {
      const to = Math.min(active.length, seeker ? i + 1 : i + piecesPerTick);
      for (; i < to; i++) measurePiece(active[i] as number, stretch, cursor, stop);
      const pause = clock.tick();
      if (!pause) continue;
      await pause;
      // Other work on this thread may have used the window meanwhile.
      if (i < active.length) stretch.fill(kernel);
    }
    active = active.filter((piece) => (ends[piece] as number) > stop);
    cursor = stop;
  }
  const pooled = tally.finishPooled();
  if (pooled) histogram?.(0, pooled);

  /** Adds the bases of a piece that are in [from, to), which are in the window. */
  function measurePiece(piece: number, { records }: Stretch, from: number, to: number): void {
    const origin = windowStart(from);
    const begin = Math.max(from, begins[piece] as number);
    const end = Math.min(to, ends[piece] as number);
    if (begin < end) {
      tally.addCodes(piece, begin - origin, end - begin);
      for (const block of records) tally.addRecords(piece, block, begin, end);
      seeker?.add(piece, records, origin, begin, end);
    }
    if ((ends[piece] as number) > to) return;
    const finished = tally.finish(piece);
    if (finished) histogram?.(piece, finished);
    if (seeker) runs?.(piece, seeker.finish(piece));
  }
}
