/** Fetches the codes and records of windows of a track, and checks that they do not contradict each other. */
import type { Located } from './interval.js';
import { type Kernel, windowBytes } from './kernel/kernel.js';
import { type RecordBlock, within } from './secondary/block.js';
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

/** The bytes of the codes of [begin, end) in the file, from a whole byte on. */
function codeSpan(track: Track, { chromosome, begin, end }: Located): Span {
  const { width } = track.dictionary;
  const base = track.primary[chromosome] as number;
  const offset = base + (windowStart(begin) * width) / 8;
  return { offset, length: base + Math.ceil((end * width) / 8) - offset };
}

/**
 * The bytes that [begin, end) will need, as far as they are known beforehand: its codes, and the starts of the streams of
 * records that were not read yet. A remote reader requests them together, also for several regions.
 */
export function likelySpans(track: Track, region: Located): Span[] {
  const { chromosome, begin, end } = region;
  const records = track.secondary?.hints(chromosome, begin, end) ?? [];
  return track.dictionary.width === 0 ? records : [codeSpan(track, region), ...records];
}

/** The bytes of one region, fetched but not yet in the window. */
export class Stretch {
  readonly #track: Track;
  readonly #view: View;
  #checked = false;
  readonly region: Located;
  /** Those that overlap the region. */
  readonly records: readonly RecordBlock[];

  constructor(track: Track, region: Located, view: View, records: readonly RecordBlock[]) {
    this.#track = track;
    this.region = region;
    this.#view = view;
    this.records = records;
  }

  /**
   * Copies the primary codes to the kernel's window. They must be used without awaiting anything in between. Throws D4Error
   * `broken` if the records contradict them.
   */
  fill({ window }: Kernel): void {
    const { offset, length } = codeSpan(this.#track, this.region);
    if (length > 0) this.#view.copy(window.subarray(0, length), offset);
    if (this.#checked) return;
    checkRecords(this.#track, this.region, this.records, { codes: window, origin: windowStart(this.region.begin) });
    this.#checked = true;
  }
}

/** All records of a region, in blocks that may hold others too. */
interface FoundRecords extends Located {
  blocks: readonly RecordBlock[];
}

/**
 * Fetches stretches of a track, best in ascending order: the records that were found for one are often all those of many after
 * it, for which there is nothing to wait for if the source is local.
 */
export class StretchReader {
  readonly #track: Track;
  readonly #signal: AbortSignal | undefined;
  #found: FoundRecords | undefined;

  constructor(track: Track, signal?: AbortSignal) {
    this.#track = track;
    this.#signal = signal;
  }

  /** All of a region of any length, in stretches that fit the window and have at most `most` bases. */
  async *stretches({ chromosome, begin: first, end: last }: Located, most?: number): AsyncGenerator<Stretch> {
    const fitting = windowBases(this.#track.dictionary.width);
    const longest = Math.min(fitting, most ?? fitting);
    for (let begin = first; begin < last; begin += longest) {
      yield await this.fetch({ chromosome, begin, end: Math.min(begin + longest, last) }, last);
    }
  }

  /** Fetches a region of at most `windowBases`. The whole question ends at `reach`, up to which a remote source may read ahead. */
  fetch(region: Located, reach: number): Stretch | Promise<Stretch> {
    const found = this.#found;
    const { chromosome, begin, end } = region;
    if (found?.chromosome !== chromosome || begin < found.begin || end > found.end) return this.#find(region, reach);
    const view = this.#track.source.fetch(this.#codes(region, reach), this.#signal);
    if (view instanceof Promise) return view.then((fetched) => this.#stretch(region, fetched, found));
    return this.#stretch(region, view, found);
  }

  /** Fetches a region, of which also the records must be found. */
  async #find(region: Located, reach: number): Promise<Stretch> {
    const { source, secondary } = this.#track;
    const { chromosome, begin, end } = region;
    const codes = this.#codes(region, reach);
    if (source.remote) {
      const hints = secondary?.hints(chromosome, begin, end) ?? [];
      if (hints.length > 0) await source.fetch([...codes, ...hints], this.#signal);
    }
    for (;;) {
      const plan = await secondary?.plan(chromosome, begin, end, this.#signal);
      const view = await source.fetch([...codes, ...(plan?.spans ?? [])], this.#signal);
      const blocks = plan ? secondary?.load(plan, view) : [];
      if (!blocks) continue;
      this.#found = { chromosome, begin, end: plan?.until ?? Number.POSITIVE_INFINITY, blocks };
      return this.#stretch(region, view, this.#found);
    }
  }

  #codes(region: Located, reach: number): Span[] {
    if (this.#track.dictionary.width === 0) return [];
    const codes = codeSpan(this.#track, region);
    const { length } = codeSpan(this.#track, { ...region, end: reach });
    return [{ offset: codes.offset, length: codes.length, ahead: Math.min(maxAhead, length) }];
  }

  #stretch(region: Located, view: View, { blocks }: FoundRecords): Stretch {
    const records: RecordBlock[] = [];
    for (const block of blocks) {
      const own = within(block, region.begin, region.end);
      if (own) records.push(own);
    }
    return new Stretch(this.#track, region, view, records);
  }
}
