/**
 * One pass over the pieces of a track, which adds up all statistics at once and finds the runs of bases below or above a
 * threshold.
 */
import type { Clock } from '../clock.js';
import { D4Error } from '../error.js';
import { type Kernel, unpackCodes } from '../kernel/kernel.js';
import type { Dictionary } from '../metadata.js';
import type { RecordBlock } from '../secondary/records.js';
import type { D4Track } from '../track.js';
import { decode, eachRecord, likelySpans, type Stretch, StretchReader, windowBases, windowStart } from '../window.js';
import type { Pieces } from './pieces.js';
import { type Histogram, SweepTally, type SweepTotals, type TallyRequest } from './tally.js';

export interface Sweep {
  track: D4Track;
  /** In sweep order. */
  pieces: Pieces;
  measure: TallyRequest;
  /** Zeros, to be added to. */
  totals: SweepTotals;
  kernel: Kernel;
  clock: Clock;
  signal?: AbortSignal | undefined;
  /** Receives the histogram of each piece if one is counted, or that of all pieces together as piece 0. */
  histogram?: (piece: number, histogram: Histogram) => void;
  search?: RunSearch | undefined;
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
async function prefetch(track: D4Track, pieces: Pieces, from: number, to: number, signal?: AbortSignal): Promise<void> {
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
  const tally = new SweepTally(totals, track.dictionary, measure, kernel);
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

// Finds the runs of bases below or above a threshold during a sweep.

/** The bases to find, by depth in the file's own unit. */
export type DepthTest = { below: number } | { atLeast: number };

/** The same in stored integers, with the limits of the runs to find. */
export interface RunSearch {
  threshold: number;
  below: boolean;
  /** Shorter runs are ignored. */
  minLength: number;
  /** Set for a part of a piece: its first and last run may continue in the next part, so they are kept however short. */
  partial?: boolean;
  /** Most runs of all pieces together. */
  most: number;
}

/** Runs of one piece: alternating begins and ends, ascending, as long as possible. */
export type PieceRuns = Uint32Array;

const none: PieceRuns = new Uint32Array(0);

/** The runs of piece `k`; none for an interval without bases, which has index −1. */
export function runsAt(runs: readonly PieceRuns[], k: number): PieceRuns {
  return runs[k] ?? none;
}

/** Finds the runs of bases that pass a test, piece by piece, during a sweep. */
class Seeker {
  readonly #dictionary: Dictionary;
  readonly #search: RunSearch;
  readonly #kernel: Kernel;
  readonly #place: string;
  readonly #growing = new Map<number, number[]>();
  readonly #values = new Int32Array(unpackCodes);
  #found = 0;

  /** `place` names the file in the error for too many runs. */
  constructor(dictionary: Dictionary, search: RunSearch, kernel: Kernel, place: string) {
    this.#dictionary = dictionary;
    this.#search = search;
    this.#kernel = kernel;
    this.#place = place;
  }

  /** Searches [begin, end) of a piece, which continues the part before. `origin` is the first base of the window. */
  add(piece: number, records: readonly RecordBlock[], origin: number, begin: number, end: number): void {
    let runs = this.#growing.get(piece);
    if (!runs) {
      runs = [];
      this.#growing.set(piece, runs);
    }
    if (this.#dictionary.width === 0) this.#addSparse(runs, records, begin, end);
    else for (let at = begin; at < end; at += unpackCodes) this.#addCodes(runs, records, origin, at, end);
  }

  /** Returns the runs of a piece, after its last bases. */
  finish(piece: number): PieceRuns {
    const runs = this.#growing.get(piece);
    this.#growing.delete(piece);
    if (!runs) return none;
    if (!this.#search.partial) this.#dropShort(runs);
    return runs.length === 0 ? none : Uint32Array.from(runs);
  }

  #addCodes(runs: number[], records: readonly RecordBlock[], origin: number, begin: number, limit: number): void {
    const values = this.#values.subarray(0, Math.min(unpackCodes, limit - begin));
    decode(this.#dictionary, records, this.#kernel, begin - origin, begin, values);
    const { threshold, below } = this.#search;
    const { length } = values;
    let i = 0;
    while (i < length) {
      while (i < length && (values[i] as number) < threshold !== below) i++;
      const from = i;
      while (i < length && (values[i] as number) < threshold === below) i++;
      if (i > from) this.#extend(runs, begin + from, begin + i);
    }
  }

  /** Without primary codes there are only records, and nothing to do for each base. */
  #addSparse(runs: number[], records: readonly RecordBlock[], begin: number, end: number): void {
    const { fallback } = this.#dictionary;
    let at = begin;
    for (const block of records) {
      eachRecord(block, Math.max(begin, block.floor), Math.min(end, block.ceiling), (from, to, value) => {
        if (at < from && this.#passes(fallback)) this.#extend(runs, at, from);
        if (this.#passes(value)) this.#extend(runs, from, to);
        at = to;
      });
    }
    if (at < end && this.#passes(fallback)) this.#extend(runs, at, end);
  }

  #passes(value: number): boolean {
    return value < this.#search.threshold === this.#search.below;
  }

  #extend(runs: number[], begin: number, end: number): void {
    const last = runs.length - 1;
    if (runs[last] === begin) {
      runs[last] = end;
      return;
    }
    this.#dropShort(runs);
    checkNumber(++this.#found, this.#search.most, this.#place);
    runs.push(begin, end);
  }

  /** Removes the last run, which has ended, if it is too short. */
  #dropShort(runs: number[]): void {
    if (this.#search.partial && runs.length === 2) return;
    if (dropShort(runs, this.#search.minLength)) this.#found--;
  }
}

/** Throws D4Error `invalid` if there are more runs than the caller accepts. */
export function checkNumber(found: number, most: number, place: string): void {
  if (found > most) throw new D4Error('invalid', `More than ${most} runs were found`, place);
}

/** Joins the runs of the parts of one piece, given in any order. */
export function joinRuns(parts: readonly PieceRuns[], minLength: number): PieceRuns {
  const joined: number[] = [];
  const ordered = parts.filter(({ length }) => length > 0).sort((a, b) => (a[0] as number) - (b[0] as number));
  for (const part of ordered) {
    for (let i = 0; i < part.length; i += 2) {
      const [begin, end] = [part[i] as number, part[i + 1] as number];
      if (joined.at(-1) === begin) joined[joined.length - 1] = end;
      else {
        dropShort(joined, minLength);
        joined.push(begin, end);
      }
    }
  }
  dropShort(joined, minLength);
  return joined.length === 0 ? none : Uint32Array.from(joined);
}

function dropShort(runs: number[], minLength: number): boolean {
  const { length } = runs;
  if (length === 0 || (runs[length - 1] as number) - (runs[length - 2] as number) >= minLength) return false;
  runs.length = length - 2;
  return true;
}
