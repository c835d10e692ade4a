/** Parses the index of frames that d4tools writes. */
import { frameHeader } from '../container/frame.js';
import { dataView, int64 } from '../source/read.js';
import { skipToRecord } from './block.js';
import type { SecondaryMetadata } from './metadata.js';

/** One frame as the index describes it. */
export interface IndexedFrame {
  at: number;
  size: number;
  /** No record of it begins before this: the end of the frame before. */
  first: number;
}

interface Layout {
  ordinal: number;
  start: number;
  end: number;
  offset: number;
  size: number;
  skip: number;
  isFirst: number;
}

/** The index is a memory image; compilers have ordered its fields in these two ways. */
const layouts: readonly Layout[] = [
  { isFirst: 0, ordinal: 1, start: 5, end: 9, offset: 13, size: 21, skip: 29 },
  { ordinal: 0, start: 4, end: 8, offset: 12, size: 20, skip: 28, isFirst: 29 },
];
export const indexEntryBytes = 30;

export interface IndexContext {
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

function decode(view: DataView, count: number, layout: Layout, context: IndexContext): FramesByPartition | undefined {
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
