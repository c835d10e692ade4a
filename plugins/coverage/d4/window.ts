import { type Kernel, windowBytes } from './kernel/kernel.js';
import type { RecordBlock } from './secondary/block.js';
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
  /** Copies the primary codes to the kernel's window. No waiting may come between this and their use. */
  fill(kernel: Kernel): void;
  records: readonly RecordBlock[];
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
  const base = track.primary[chromosome] as number;
  const offset = base + (windowStart(begin) * width) / 8;
  const length = base + Math.ceil((end * width) / 8) - offset;
  const ahead = Math.min(maxAhead, base + Math.ceil((reach * width) / 8) - offset);
  const codes: Span[] = width > 0 ? [{ offset, length, ahead }] : [];
  if (source.remote && secondary) {
    // Everything that can be known beforehand in one request, rather than the records after the codes.
    const hints = secondary.hints(chromosome, begin, end);
    if (hints.length > 0) await source.fetch([...codes, ...hints], signal);
  }
  let view: View = nothing;
  let records: readonly RecordBlock[] | undefined;
  do {
    const plan = await secondary?.plan(chromosome, begin, end, signal);
    const spans = [...codes, ...(plan?.spans ?? [])];
    view = spans.length > 0 ? await source.fetch(spans, signal) : nothing;
    records = plan ? secondary?.load(plan, view) : [];
  } while (!records);
  return {
    records,
    fill(kernel) {
      if (width > 0) view.copy(kernel.window.subarray(0, length), offset);
    },
  };
}

const nothing: View = { copy: () => undefined };
