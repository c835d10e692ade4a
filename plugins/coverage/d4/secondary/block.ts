/** Records of the secondary table, read in place. */
import { D4Error } from '../error.js';

/** Bytes of one record: u32 begin + 1, u16 length − 1, i32 value. */
export const recordBytes = 10;
/** The same in 16-bit words, the unit in which a block is read. */
export const recordWords = 5;

/** Bytes from a position of an uncompressed stream to the next record that begins there or later. */
export function skipToRecord(position: number): number {
  return (recordBytes - (position % recordBytes)) % recordBytes;
}

/** Neighbouring records of one partition, ascending and without overlap. */
export interface RecordBlock {
  /** The raw records, five words each. */
  readonly words: Uint16Array;
  readonly count: number;
  /** All are inside [floor, ceiling). */
  readonly floor: number;
  readonly ceiling: number;
}

/** First base of record `i`. */
export function recordBegin(words: Uint16Array, i: number): number {
  const k = i * recordWords;
  return (((words[k] as number) | ((words[k + 1] as number) << 16)) >>> 0) - 1;
}

/** Bases of record `i`. */
export function recordLength(words: Uint16Array, i: number): number {
  return (words[i * recordWords + 2] as number) + 1;
}

/** Stored integer of record `i`. */
export function recordValue(words: Uint16Array, i: number): number {
  const k = i * recordWords;
  return (words[k + 3] as number) | ((words[k + 4] as number) << 16);
}

/** The first record that ends after a position; `count` if there is none. */
export function firstEndingAfter(block: RecordBlock, position: number): number {
  const { words } = block;
  let low = 0;
  let high = block.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (recordBegin(words, middle) + recordLength(words, middle) <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first record that begins at a position or later; `count` if there is none. */
export function firstBeginningFrom({ words, count }: RecordBlock, position: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (recordBegin(words, middle) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The records of a block that overlap [begin, end), if there are some. */
export function within(block: RecordBlock, begin: number, end: number): RecordBlock | undefined {
  const floor = Math.max(begin, block.floor);
  const ceiling = Math.min(end, block.ceiling);
  const first = firstEndingAfter(block, floor);
  const count = firstBeginningFrom(block, ceiling) - first;
  if (count <= 0) return undefined;
  const { buffer, byteOffset } = block.words;
  // Not a subarray: to V8 it would be of another type, for which all loops over records would have to be prepared.
  const words = new Uint16Array(buffer, byteOffset + first * recordBytes, count * recordWords);
  return { words, count, floor, ceiling };
}

/** Sum of (value − base) over the bases of records [first, last). A loop over millions, so it reads only what it needs. */
export function sumAbove(words: Uint16Array, first: number, last: number, base: number): number {
  let sum = 0;
  const end = last * recordWords;
  for (let k = first * recordWords + 2; k < end; k += recordWords) {
    const value = (words[k + 1] as number) | ((words[k + 2] as number) << 16);
    sum += ((words[k] as number) + 1) * (value - base);
  }
  return sum;
}

/** Least and greatest value of records [first, last). */
export function valueRange(words: Uint16Array, first: number, last: number): { least: number; greatest: number } {
  let least = recordValue(words, first);
  let greatest = least;
  const end = last * recordWords;
  for (let k = (first + 1) * recordWords + 3; k < end; k += recordWords) {
    const value = (words[k] as number) | ((words[k + 1] as number) << 16);
    if (value < least) least = value;
    else if (value > greatest) greatest = value;
  }
  return { least, greatest };
}

/** The partition of the records. */
export interface BlockBounds {
  floor: number;
  ceiling: number;
}

/**
 * Reads raw bytes as records, up to the first one whose begin is 0 (padding). Their order and ends are checked once, here, so
 * that all later code may rely on them.
 */
export function recordBlock(bytes: Uint8Array, bounds: BlockBounds, place: () => string): RecordBlock {
  const words = new Uint16Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / recordBytes) * recordWords);
  const count = ascendingRecords(words);
  const begin = count * recordWords < words.length ? recordBegin(words, count) : -1;
  const end = count > 0 ? recordBegin(words, count - 1) + recordLength(words, count - 1) : 0;
  if (begin >= 0) {
    throw new D4Error('broken', `Record ${count} begins at ${begin}, before the end of the one before it`, place());
  }
  // In a stream that is another partition's, records would be missed without a word.
  if (count > 0 && (recordBegin(words, 0) < bounds.floor || end > bounds.ceiling)) {
    const records = `Records from ${recordBegin(words, 0)} to ${end}`;
    const message = `${records} are outside of their partition, ${bounds.floor} to ${bounds.ceiling}`;
    throw new D4Error('broken', message, place());
  }
  return { words, count, floor: bounds.floor, ceiling: bounds.ceiling };
}

/** The number of records before padding, or before one that begins before the end of the last. */
function ascendingRecords(words: Uint16Array): number {
  const capacity = words.length / recordWords;
  let count = 0;
  let previousEnd = 0;
  for (; count < capacity; count++) {
    const begin = recordBegin(words, count);
    // The begin of padding is −1.
    if (begin < previousEnd) break;
    previousEnd = begin + recordLength(words, count);
  }
  return count;
}
