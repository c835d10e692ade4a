/** Frames of compressed records. */
import { inflateRawSync } from 'node:zlib';
import { D4Error } from '../error.js';
import { maxInflatedBytes, maxInflateRatio } from '../limits.js';
import { dataView } from '../source/read.js';
import { type RecordBlock, recordBegin, recordBytes, recordLength } from './block.js';

/** The header of a frame in a deflated stream. */
export interface DeflateHeader {
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

/** The records of one deflated frame. Inflates no more than the frame claims, and limits what it may claim. */
export function inflateRecords(payload: Uint8Array, header: DeflateHeader, place: string): Uint8Array {
  const size = header.count * recordBytes;
  const packed = payload.subarray(header.length);
  if (size === 0) return new Uint8Array(0);
  if (size > maxInflatedBytes || size > packed.length * maxInflateRatio) {
    throw new D4Error('broken', `A frame of ${packed.length} bytes cannot hold ${header.count} records`, place);
  }
  let bytes: Uint8Array = packed;
  if (!header.raw) {
    try {
      bytes = inflateRawSync(packed, { maxOutputLength: size });
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
