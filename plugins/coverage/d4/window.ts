/**
 * Fetches the codes and records of windows of a track, checks that they do not contradict each other, and decodes them into
 * depths as stored integers.
 */
import type { IndexedInterval } from './chromosomes.js';
import { D4Error } from './error.js';
import { type Kernel, windowBytes } from './kernel/kernel.js';
import type { Dictionary } from './metadata.js';
import {
  firstEndingAfter,
  type RecordBlock,
  recordBegin,
  recordLength,
  recordValue,
  within,
} from './secondary/records.js';
import type { ByteSpan, ByteView } from './source/source.js';
import type { D4Track } from './track.js';

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
function codeSpan(track: D4Track, { chromosome, begin, end }: IndexedInterval): ByteSpan {
  const { width } = track.dictionary;
  const base = track.primary[chromosome] as number;
  const offset = base + (windowStart(begin) * width) / 8;
  return { offset, length: base + Math.ceil((end * width) / 8) - offset };
}

/**
 * The bytes that [begin, end) will need, as far as they are known beforehand: its codes, and the starts of the streams of
 * records that were not read yet. A remote reader requests them together, also for several regions.
 */
export function likelySpans(track: D4Track, region: IndexedInterval): ByteSpan[] {
  const { chromosome, begin, end } = region;
  const records = track.secondary?.hints(chromosome, begin, end) ?? [];
  return track.dictionary.width === 0 ? records : [codeSpan(track, region), ...records];
}

/** The bytes of one region, fetched but not yet in the window. */
export class Stretch {
  readonly #track: D4Track;
  readonly #view: ByteView;
  #checked = false;
  readonly region: IndexedInterval;
  /** Those that overlap the region. */
  readonly records: readonly RecordBlock[];

  constructor(track: D4Track, region: IndexedInterval, view: ByteView, records: readonly RecordBlock[]) {
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
    try {
      checkRecords(this.#track, this.region, this.records, { codes: window, origin: windowStart(this.region.begin) });
    } catch (error) {
      this.#track.source.check?.();
      throw error;
    }
    this.#checked = true;
  }
}

/** All records of a region, in blocks that may hold others too. */
interface FoundRecords extends IndexedInterval {
  blocks: readonly RecordBlock[];
}

/**
 * Fetches stretches of a track, best in ascending order: the records that were found for one are often all those of many after
 * it, for which there is nothing to wait for if the source is local.
 */
export class StretchReader {
  readonly #track: D4Track;
  readonly #signal: AbortSignal | undefined;
  #found: FoundRecords | undefined;

  constructor(track: D4Track, signal?: AbortSignal) {
    this.#track = track;
    this.#signal = signal;
  }

  /** All of a region of any length, in stretches that fit the window and have at most `most` bases. */
  async *stretches({ chromosome, begin: first, end: last }: IndexedInterval, most?: number): AsyncGenerator<Stretch> {
    const fitting = windowBases(this.#track.dictionary.width);
    const longest = Math.min(fitting, most ?? fitting);
    try {
      for (let begin = first; begin < last; begin += longest) {
        yield await this.fetch({ chromosome, begin, end: Math.min(begin + longest, last) }, last);
      }
    } finally {
      this.#track.source.check?.();
    }
  }

  /** Fetches a region of at most `windowBases`. The whole question ends at `reach`, up to which a remote source may read ahead. */
  fetch(region: IndexedInterval, reach: number): Stretch | Promise<Stretch> {
    const found = this.#found;
    const { chromosome, begin, end } = region;
    if (found?.chromosome !== chromosome || begin < found.begin || end > found.end) return this.#find(region, reach);
    const view = this.#track.source.fetch(this.#codes(region, reach), this.#signal);
    if (view instanceof Promise) return view.then((fetched) => this.#stretch(region, fetched, found));
    return this.#stretch(region, view, found);
  }

  /** Fetches a region, of which also the records must be found. */
  async #find(region: IndexedInterval, reach: number): Promise<Stretch> {
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

  #codes(region: IndexedInterval, reach: number): ByteSpan[] {
    if (this.#track.dictionary.width === 0) return [];
    const codes = codeSpan(this.#track, region);
    const { length } = codeSpan(this.#track, { ...region, end: reach });
    return [{ offset: codes.offset, length: codes.length, ahead: Math.min(maxAhead, length) }];
  }

  #stretch(region: IndexedInterval, view: ByteView, { blocks }: FoundRecords): Stretch {
    const records: RecordBlock[] = [];
    for (const block of blocks) {
      const own = within(block, region.begin, region.end);
      if (own) records.push(own);
    }
    return new Stretch(this.#track, region, view, records);
  }
}

// Checks records against each other and against the primary table.

/**
 * Checks that the records of [begin, end) do not overlap and that all codes under them are the mask: every statistic relies on
 * this. `codes` holds the codes from base `origin` on. Throws D4Error `broken`.
 */
export function checkRecords(
  track: D4Track,
  { chromosome, begin, end }: IndexedInterval,
  records: readonly RecordBlock[],
  { codes, origin }: { codes: Uint8Array; origin: number },
): void {
  if (records.length === 0) return;
  const { width } = track.dictionary;
  const bits = width > 0 ? new BitRuns(codes) : undefined;
  let at = begin;
  for (const block of records) {
    const { words, count } = block;
    const from = Math.max(begin, block.floor);
    const to = Math.min(end, block.ceiling);
    for (let i = firstEndingAfter(block, from); i < count; i++) {
      const start = recordBegin(words, i);
      if (start >= to) break;
      const first = Math.max(from, start);
      const last = Math.min(to, start + recordLength(words, i));
      if (first < at) throw broken('Two records of the secondary table overlap', first, last);
      if (bits && !bits.areSet((first - origin) * width, (last - origin) * width)) {
        throw broken(
          'A record of the secondary table contradicts the primary table, which has a depth there',
          first,
          last,
        );
      }
      at = last;
    }
  }

  function broken(message: string, from: number, to: number): D4Error {
    const name = track.chromosomes[chromosome]?.name;
    return new D4Error('broken', message, `${track.source.name}: ${name}:${from}-${to}`);
  }
}

/** Tests runs of bits; the lowest bit of a byte is its first. */
class BitRuns {
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Whether bits [from, to), at least one, are all set. There must be four bytes from the byte of the first bit on. */
  areSet(from: number, to: number): boolean {
    const view = this.#view;
    let i = from >> 3;
    let left = to - from + (from & 7);
    let wanted = -1 << (from & 7);
    // Most records are a few bases long: one word.
    for (; left > 32; left -= 32, i += 4) {
      if (~view.getInt32(i, true) & wanted) return false;
      wanted = -1;
    }
    if (left < 32) wanted &= ~(-1 << left);
    return (~view.getInt32(i, true) & wanted) === 0;
  }
}

// Decodes the primary codes and the secondary records of a region into depths as stored integers.

/**
 * Fills `values` with the stored integers of the bases from `begin` on (at most `unpackCodes`). Their codes are in the kernel's
 * window from code `first` on; without primary codes the window is not read.
 */
export function decode(
  dictionary: Dictionary,
  records: readonly RecordBlock[],
  kernel: Kernel,
  first: number,
  begin: number,
  values: Int32Array,
): void {
  const { width, low, fallback, values: table } = dictionary;
  if (width === 0) values.fill(fallback);
  else {
    const codes = kernel.unpack(width, first, values.length);
    if (low === undefined) for (let i = 0; i < values.length; i++) values[i] = table[codes[i] as number] as number;
    else for (let i = 0; i < values.length; i++) values[i] = (codes[i] as number) + low;
  }
  const end = begin + values.length;
  for (const block of records) {
    const from = Math.max(begin, block.floor);
    const to = Math.min(end, block.ceiling);
    eachRecord(block, from, to, (recordFrom, recordTo, value) => {
      values.fill(value, recordFrom - begin, recordTo - begin);
    });
  }
}

/** Calls back with each record's part of [from, to). */
export function eachRecord(
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
