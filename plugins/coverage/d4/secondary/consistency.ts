/** Checks records against each other and against the primary table. */
import { D4Error } from '../error.js';
import type { Track } from '../track.js';
import { firstEndingAfter, type RecordBlock, recordBegin, recordLength } from './block.js';

/**
 * Checks that the records of [begin, end) do not overlap and that all codes under them are the mask: every statistic relies on
 * this. `codes` holds the codes from base `origin` on. Throws D4Error `broken`.
 */
export function checkRecords(
  track: Track,
  chromosome: number,
  { begin, end }: { begin: number; end: number },
  records: readonly RecordBlock[],
  { codes, origin }: { codes: Uint8Array; origin: number },
): void {
  const { width } = track.dictionary;
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
      if (width > 0 && !allOnes(codes, (first - origin) * width, (last - origin) * width)) {
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

/** Whether bits [from, to), at least one, are all set; the lowest bit of a byte is its first. */
function allOnes(bytes: Uint8Array, from: number, to: number): boolean {
  const last = (to - 1) >> 3;
  let i = from >> 3;
  let wanted = (0xff << (from & 7)) & 0xff;
  for (; i < last; i++) {
    if (((bytes[i] as number) & wanted) !== wanted) return false;
    wanted = 0xff;
  }
  wanted &= 0xff >> (7 - ((to - 1) & 7));
  return ((bytes[i] as number) & wanted) === wanted;
}
