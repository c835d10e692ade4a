/** Fetches the codes and records of one window of a track, and checks that they do not contradict each other. */
import { type Kernel, windowBytes } from './kernel/kernel.js';
import type { RecordBlock } from './secondary/block.js';
import { checkRecords } from './secondary/consistency.js';
import type { Span, View } from './source/source.js';
import type { Track } from './track.js';

/** Length of a window, in bases, if all depths are in the secondary table. */
const sparseBases = 2 ** 22;

/** A remote reader requests whole megabytes at a time if it will need them all. */
const maxAhead = 4 * 2 ** 20;

/** Bases of a track that fit the kernel's window, whatever the position of the first. */
export function windowBases(width: number): number {
  return width === 0 ? sparseBases : Math.floor((windowBytes * 8) / width) - 16;
}

/** The window's first base for a stretch that begins at a position: codes are read from a whole byte on. */
export function windowStart(begin: number): number {
  return begin - (begin % 8);
}

/** The bytes of one region, fetched but not yet in the window. */
export interface Stretch {
  /**
   * Copies the primary codes to the kernel's window. They must be used without awaiting anything in between. Throws D4Error
   * `broken` if the records contradict them.
   */
  fill(kernel: Kernel): void;
  records: readonly RecordBlock[];
}

/** The bytes of the codes of [begin, end) in the file, from a whole byte on. */
function codeSpan(track: Track, chromosome: number, begin: number, end: number): Span {
  const { width } = track.dictionary;
  const base = track.primary[chromosome] as number;
  const offset = base + (windowStart(begin) * width) / 8;
  return { offset, length: base + Math.ceil((end * width) / 8) - offset };
}

/**
 * The bytes that [begin, end) will need, as far as they are known beforehand: its codes, and the starts of the streams of
 * records that were not read yet. A remote reader requests them together, also for several regions.
 */
export function likelySpans(track: Track, chromosome: number, begin: number, end: number): Span[] {
  const records = track.secondary?.hints(chromosome, begin, end) ?? [];
  return track.dictionary.width === 0 ? records : [codeSpan(track, chromosome, begin, end), ...records];
}

/**
 * Fetches the codes and records of [begin, end), at most `windowBases`. The whole question ends at `reach`, up to which a
 * remote source may read ahead.
 */
export async function fetchStretch(
  track: Track,
  chromosome: number,
  begin: number,
  end: number,
  reach: number,
  signal?: AbortSignal,
): Promise<Stretch> {
  const { source, secondary } = track;
  const { width } = track.dictionary;
  const codes = codeSpan(track, chromosome, begin, end);
  const ahead = Math.min(maxAhead, codeSpan(track, chromosome, begin, reach).length);
  const own: Span[] = width > 0 ? [{ ...codes, ahead }] : [];
  if (source.remote) {
    const hints = secondary?.hints(chromosome, begin, end) ?? [];
    if (hints.length > 0) await source.fetch([...own, ...hints], signal);
  }
  let view: View = nothing;
  let records: readonly RecordBlock[] | undefined;
  do {
    const plan = await secondary?.plan(chromosome, begin, end, signal);
    const spans = [...own, ...(plan?.spans ?? [])];
    view = spans.length > 0 ? await source.fetch(spans, signal) : nothing;
    records = plan ? secondary?.load(plan, view) : [];
  } while (!records);
  const found = records;
  let checked = false;
  return {
    records: found,
    fill(kernel) {
      if (width > 0) view.copy(kernel.window.subarray(0, codes.length), codes.offset);
      if (checked) return;
      checkRecords(track, chromosome, { begin, end }, found, { codes: kernel.window, origin: windowStart(begin) });
      checked = true;
    },
  };
}

const nothing: View = { copy: () => undefined };
