/** Checks records against each other and against the primary table. */
import { D4Error } from '../error.js';
import type { Located } from '../interval.js';
import type { Track } from '../track.js';
import { firstEndingAfter, type RecordBlock, recordBegin, recordLength } from './block.js';

/**
 * Checks that the records of [begin, end) do not overlap and that all codes under them are the mask: every statistic relies on
 * this. `codes` holds the codes from base `origin` on. Throws D4Error `broken`.
 */
export function checkRecords(
  track: Track,
  { chromosome, begin, end }: Located,
  records: readonly RecordBlock[],
  { codes, origin }: { codes: Uint8Array; origin: number },
): void {
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
