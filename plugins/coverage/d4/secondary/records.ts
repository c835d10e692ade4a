/**
 * Records of the secondary table: read in place, in frames of compressed records, and found by the index of frames that d4tools
 * writes.
 */
import { frameHeader } from '../container.js';
import { D4Error, maxInflatedBytes, maxInflateRatio } from '../error.js';
import type { SecondaryMetadata } from '../metadata.js';
import { dataView, int64 } from '../source/source.js';

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
interface BlockBounds {
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

// Parses the index of frames that d4tools writes.

/** One frame as the index describes it. */
export interface IndexedFrame {
  at: number;
  size: number;
  /** No record of it begins before this: the end of the frame before. */
  first: number;
}

interface IndexLayout {
  ordinal: number;
  start: number;
  end: number;
  offset: number;
  size: number;
  skip: number;
  isFirst: number;
}

/** The index is a memory image; compilers have ordered its fields in these two ways. */
const layouts: readonly IndexLayout[] = [
  { isFirst: 0, ordinal: 1, start: 5, end: 9, offset: 13, size: 21, skip: 29 },
  { ordinal: 0, start: 4, end: 8, offset: 12, size: 20, skip: 28, isFirst: 29 },
];
const indexEntryBytes = 30;

interface IndexContext {
  secondary: SecondaryMetadata;
  /** Offset of the `.stab` directory, and the number of bytes from there that may hold frames. */
  at: number;
  extent: number;
  /** The start of each partition's stream. */
  streams: readonly ({ at: number; size: number } | undefined)[];
}

/** Frames of each partition's stream; undefined for a stream that is not in the index. */
export type FramesByPartition = (IndexedFrame[] | undefined)[];

/**
 * Decodes a secondary-frame index (bool-first or declared order) into frames per partition. Returns undefined unless all
 * entries are plausible in one layout: the index is a short cut, and a wrong short cut would lose records.
 */
export function parseFrameIndex(bytes: Uint8Array, context: IndexContext): FramesByPartition | undefined {
  if (bytes.length < 8) return undefined;
  const count = int64(dataView(bytes), 0);
  if (bytes.length < 8 + count * indexEntryBytes || count < 0) return undefined;
  const entries = dataView(bytes.subarray(8, 8 + count * indexEntryBytes));
  for (const layout of layouts) {
    const frames = decode(entries, count, layout, context);
    if (frames) return frames;
  }
  return undefined;
}

function decode(
  view: DataView,
  count: number,
  layout: IndexLayout,
  context: IndexContext,
): FramesByPartition | undefined {
  const { secondary, streams } = context;
  const ordinals = new Map(streams.map((stream, ordinal) => [stream?.at, ordinal]));
  const frames: FramesByPartition = streams.map(() => undefined);
  let own: IndexedFrame[] | undefined;
  let before = 0;
  let chromosome = -1;
  let position = 0;
  for (let i = 0; i < count; i++) {
    const p = i * indexEntryBytes;
    const start = view.getUint32(p + layout.start, true);
    const end = view.getUint32(p + layout.end, true);
    const offset = int64(view, p + layout.offset);
    const size = int64(view, p + layout.size);
    const skip = view.getUint8(p + layout.skip);
    const isFirst = view.getUint8(p + layout.isFirst);
    if (isFirst > 1 || start > end) return undefined;
    if (offset < 0 || size < frameHeader || offset + size > context.extent) return undefined;
    const at = context.at + offset;
    if (isFirst === 1) {
      const ordinal = ordinals.get(at) ?? -1;
      if (streams[ordinal]?.size !== size || frames[ordinal]) return undefined;
      own = [];
      frames[ordinal] = own;
      chromosome = secondary.partitions[ordinal]?.chromosome ?? -1;
      position = 0;
      before = 0;
    }
    if (!own || view.getUint32(p + layout.ordinal, true) !== chromosome) return undefined;
    if (!secondary.deflated && skip !== skipToRecord(position)) return undefined;
    if (start < before) return undefined;
    own.push({ at, size, first: before });
    before = end;
    position += size - frameHeader;
  }
  return frames;
}

// Frames of compressed records.

/** The header of a frame in a deflated stream. */
interface DeflateHeader {
  /** Begin of the first record. */
  begin: number;
  /** End of the last record. */
  end: number;
  /** Records in the frame; without one, begin and end are 0. */
  count: number;
  /** Set in the first frame of a stream whose records are stored uncompressed. */
  raw: boolean;
  /** Bytes of this header: the first frame has a flag more. */
  length: number;
}

/** Bytes that suffice to decode the header. */
export const deflateHeaderBytes = 13;

export function deflateHeader(bytes: Uint8Array, isFirst: boolean, place: string): DeflateHeader {
  const flag = isFirst ? 1 : 0;
  const length = flag + 12;
  if (bytes.length < length) throw new D4Error('broken', 'A deflated frame is too small for its header', place);
  const view = dataView(bytes);
  if (isFirst && (bytes[0] as number) > 1) throw new D4Error('broken', `Unknown compression flag ${bytes[0]}`, place);
  const [begin, end, count] = [0, 4, 8].map((at) => view.getUint32(flag + at, true)) as [number, number, number];
  if (count === 0 ? begin > 0 || end > 0 : begin >= end) {
    throw new D4Error('broken', `A frame of ${count} records cannot be from ${begin} to ${end}`, place);
  }
  return { begin, end, count, raw: isFirst && bytes[0] === 1, length };
}

/** Inflates raw deflate data, which padding may follow. Throws if it is broken or cut, and if there are more than `size` bytes. */
export type Inflate = (packed: Uint8Array, size: number) => Uint8Array;

/** The records of one deflated frame. Inflates no more than the frame claims, and limits what it may claim. */
export function inflateRecords(
  payload: Uint8Array,
  header: DeflateHeader,
  inflate: Inflate,
  place: string,
): Uint8Array {
  const size = header.count * recordBytes;
  const packed = payload.subarray(header.length);
  if (size === 0) return new Uint8Array(0);
  if (size > maxInflatedBytes || size > packed.length * maxInflateRatio) {
    throw new D4Error('broken', `A frame of ${packed.length} bytes cannot hold ${header.count} records`, place);
  }
  let bytes: Uint8Array = packed;
  if (!header.raw) {
    try {
      bytes = inflate(packed, size);
    } catch (cause) {
      throw new D4Error('broken', 'A frame cannot be inflated to the records it promises', place, { cause });
    }
  }
  if (bytes.length < size) {
    throw new D4Error('broken', `A frame of ${header.count} records holds only ${bytes.length} bytes`, place);
  }
  // A copy, because records are read as 16-bit words and need an even address.
  return new Uint8Array(bytes.subarray(0, size));
}

/** Checks that a frame holds the records that its header promises, by which it was chosen. Throws D4Error `broken`. */
export function checkPromise({ words, count }: RecordBlock, header: DeflateHeader, place: string): void {
  const last = count - 1;
  const agrees =
    count === header.count &&
    (count === 0 ||
      (recordBegin(words, 0) === header.begin && recordBegin(words, last) + recordLength(words, last) === header.end));
  if (!agrees) throw new D4Error('broken', 'The records of a frame are not those that its header promises', place);
}
