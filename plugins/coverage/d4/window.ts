/** Fetches the codes and records of one window of a track, and checks that they do not contradict each other. */
import { type Kernel, windowBytes } from './kernel/kernel.js';
import type { RecordBlock } from './secondary/block.js';
import { checkRecords } from './secondary/consistency.js';
import type { Span, View } from './source/source.js';
import type { Track } from './track.js';

/** Bases whose depth is all in the secondary table are taken in stretches of this length. */
const sparseBases = 2 ** 22;

/** Over the network whole megabytes are asked for when they will all be needed. */
const maxAhead = 4 * 2 ** 20;

/** Bases of a track that fit the kernel's window, whatever the position of the first. */
export function windowBases(width: number): number {
  return width === 0 ? sparseBases : Math.floor((windowBytes * 8) / width) - 16;
}

/** The window's first base for a stretch that begins at a position: codes are read from a whole byte on. */
export function windowStart(begin: number): number {
  return begin - (begin % 8);
}

/** Bytes of one stretch, at hand but not yet in the window. */
export interface Stretch {
  /**
   * Copies the primary codes to the kernel's window. No waiting may come between this and their use. Throws D4Error `broken` when the
   * records contradict them.
   */
  fill(kernel: Kernel): void;
  records: readonly RecordBlock[];
}

/** Where the codes of [begin, end) lie in the file, from a whole byte on. */
function codeSpan(track: Track, chromosome: number, begin: number, end: number): Span {
  const { width } = track.dictionary;
  const base = track.primary[chromosome] as number;
  const offset = base + (windowStart(begin) * width) / 8;
  return { offset, length: base + Math.ceil((end * width) / 8) - offset };
}

/**
 * What can be known beforehand of the bytes that [begin, end) takes: its codes, and the beginnings of the records not met yet. A remote
 * reader asks for these together, perhaps for several stretches, rather than for one after the other.
 */
export function likelySpans(track: Track, chromosome: number, begin: number, end: number): Span[] {
  const records = track.secondary?.hints(chromosome, begin, end) ?? [];
  return track.dictionary.width === 0 ? records : [codeSpan(track, chromosome, begin, end), ...records];
}

/**
 * Fetches the codes and records of [begin, end), at most `windowBases`; `reach` is how far the question goes on from
 * there, which a remote source uses to read ahead.
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
