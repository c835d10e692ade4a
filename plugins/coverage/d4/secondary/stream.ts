/** The records of one partition, found without reading all of them. */
import { checkFrame, type Extents, type FrameLink, frameHeader, nextFrame } from '../container.js';
import { D4Error } from '../error.js';
import type { Partition } from '../metadata.js';
import { type ByteSpan, type ByteView, dataView, type Source } from '../source/source.js';
import {
  checkPromise,
  deflateHeader,
  deflateHeaderBytes,
  type IndexedFrame,
  type Inflate,
  inflateRecords,
  type RecordBlock,
  recordBlock,
  recordBytes,
  skipToRecord,
} from './records.js';

interface Frame extends FrameLink {
  /** Offset of its payload in the stream. */
  position: number;
  /**
   * No record of it begins before this: the begin of its first record (if that is not visible in the frame, that of the frame before),
   * or in deflated streams, and in those from an index, the end of the frame before. A wrong begin would hide the frame.
   */
  first: number;
  /** Whether `first` is known for this frame itself. */
  seen: boolean;
  /** Begins of the parts in which a large frame is read, as far as they are known. */
  parts: (number | undefined)[];
}

/** A piece of the stream that is loaded at once. */
export interface StreamPart {
  stream: RecordStream;
  key: string;
  frame: number;
  index: number;
}

export interface StreamContext {
  source: Source;
  deflated: boolean;
  inflate: Inflate;
  extents: Extents;
}

/** Bytes of a read beyond the first response: streams of d4tools' 10-Mb partitions are shorter. */
const walkAhead = 512 * 1024;

/**
 * The records of one partition. The chain of frames is walked only as far as a question needs, and within a large frame
 * only the part that matters is found (by bisection) and read.
 */
export class RecordStream {
  readonly partition: Partition;
  readonly #context: StreamContext;
  readonly #frames: Frame[] = [];
  /** Whether the frames come from an index and not from the chain itself. */
  readonly indexed: boolean;
  /** The same part may hold other records if an index that was wrong named it. */
  readonly #key: string;
  #next: FrameLink | undefined;
  /** End of the records in the frames so far, as far as their headers tell. */
  #end = 0;

  constructor(partition: Partition, first: FrameLink, context: StreamContext, indexed?: readonly IndexedFrame[]) {
    this.partition = partition;
    this.#context = context;
    this.indexed = indexed !== undefined;
    this.#key = `${this.indexed ? 'indexed ' : ''}${partition.ordinal}`;
    if (!indexed) this.#next = first;
    for (const frame of indexed ?? []) this.#add(frame, frame.first, true);
  }

  /** What a remote reader fetches together with the codes before the frames are known: the start of the chain. */
  hint(): ByteSpan[] {
    return this.#next && this.#frames.length === 0 ? [{ offset: this.#next.at, length: this.#next.size }] : [];
  }

  /** The parts that may hold records overlapping [begin, end), and where the part after them begins. */
  async find(begin: number, end: number, signal?: AbortSignal): Promise<{ parts: StreamPart[]; until: number }> {
    while (this.#next && (this.#frames.at(-1)?.first ?? 0) < end) await this.#extend(signal);
    const found: StreamPart[] = [];
    let until = this.partition.end;
    const frames = this.#frames;
    let f = lastAtMost(frames.length, (i) => (frames[i] as Frame).first, begin);
    while (f > 0 && !frames[f]?.seen) f--;
    for (; f < frames.length; f++) {
      const frame = frames[f] as Frame;
      if (frame.first >= end) {
        until = Math.min(until, frame.first);
        break;
      }
      const count = frame.parts.length;
      let index = 0;
      if (count > 1) {
        // The last part that begins at or before the question, then on until one begins after it.
        let high = count;
        while (high - index > 1) {
          const middle = (index + high) >> 1;
          if ((await this.#partBegin(f, middle, signal)) <= begin) index = middle;
          else high = middle;
        }
      }
      for (; index < count; index++) {
        const first = index > 0 ? await this.#partBegin(f, index, signal) : begin;
        if (first >= end) {
          until = Math.min(until, first);
          break;
        }
        found.push({ stream: this, key: `${this.#key}/${f}/${index}`, frame: f, index });
      }
    }
    const last = found.at(-1);
    // A part's last record may end in the next frame, which then must be known.
    while (last && this.#next && this.#endOfPart(last) > this.#known()) await this.#extend(signal);
    return { parts: found, until };
  }

  /** The bytes of a part in the file. */
  spans(part: StreamPart): ByteSpan[] {
    const frame = this.#frames[part.frame] as Frame;
    const links = this.#linksOf(part).map((f) => ({ offset: (this.#frames[f] as Frame).at, length: frameHeader }));
    if (this.#context.deflated) return [...links, { offset: frame.at, length: frame.size }];
    const begin = this.#beginOfPart(part);
    return [...links, ...this.#locate(part.frame, begin, this.#endOfPart(part) - begin)];
  }

  /**
   * The frames of an index whose links must be what it says, so that it leaves out none that a question needs: the one before a
   * frame, and the last one.
   */
  #linksOf({ frame, index }: StreamPart): number[] {
    if (!this.indexed) return [];
    const before = index === 0 && frame > 0 ? [frame - 1] : [];
    return frame === this.#frames.length - 1 ? [...before, frame] : before;
  }

  /** Decodes a part whose spans were fetched. Undefined if the spans came from a wrong index. */
  load(part: StreamPart, view: ByteView): RecordBlock | undefined {
    const { deflated, inflate } = this.#context;
    const frame = this.#frames[part.frame] as Frame;
    const bounds = { floor: this.partition.begin, ceiling: this.partition.end };
    const place = () => this.#place(frame);
    if (!this.#linksOf(part).every((f) => this.#isLinked(f, view))) return undefined;
    if (deflated) {
      const payload = new Uint8Array(frame.size - frameHeader);
      view.copy(payload, frame.at + frameHeader);
      const header = deflateHeader(payload, part.frame === 0, place());
      const block = recordBlock(inflateRecords(payload, header, inflate, place()), bounds, place);
      checkPromise(block, header, place());
      return block;
    }
    const begin = this.#beginOfPart(part);
    const bytes = new Uint8Array(Math.max(0, this.#endOfPart(part) - begin));
    let done = 0;
    for (const span of this.#locate(part.frame, begin, bytes.length)) {
      view.copy(bytes.subarray(done, done + span.length), span.offset);
      done += span.length;
    }
    if (done < bytes.length - recordBytes) throw new D4Error('broken', 'A frame of records is missing', place());
    // A stream may end within a record only by padding, so what is missing reads as zeros.
    return recordBlock(bytes, bounds, place);
  }

  /** Adds the next frame of the chain, unless a concurrent caller, who waits for the same bytes, has added it meanwhile. */
  async #extend(signal?: AbortSignal): Promise<void> {
    const { source, extents, deflated } = this.#context;
    const link = this.#next as FrameLink;
    checkFrame(source, link, this.#what());
    const skip = deflated ? 0 : skipToRecord(this.#known());
    const wanted = frameHeader + (deflated ? deflateHeaderBytes : skip + 4);
    const head = new Uint8Array(Math.min(wanted, link.size));
    const ahead = Math.min(walkAhead, source.size - link.at);
    const view = await source.fetch([{ offset: link.at, length: head.length, ahead }], signal);
    if (this.#next !== link) return;
    view.copy(head, link.at);
    extents.walk(link, this.#what());
    const payload = head.subarray(frameHeader);
    const before = this.#frames.at(-1)?.first ?? 0;
    let first: number | undefined;
    if (deflated) {
      const header = deflateHeader(payload, this.#frames.length === 0, this.#place(link));
      if (header.count > 0) {
        if (header.begin < this.#end) throw this.#disorder(header.begin, link);
        first = this.#end;
        this.#end = header.end;
      }
    } else if (payload.length === skip + 4) {
      const stored = dataView(payload).getUint32(skip, true);
      if (stored > 0) first = stored - 1;
    }
    if (first !== undefined && first < before) throw this.#disorder(first, link);
    this.#next = nextFrame(dataView(head), link);
    this.#add(link, first ?? before, first !== undefined);
  }

  #disorder(begin: number, link: FrameLink): D4Error {
    return new D4Error('broken', `A frame begins at ${begin}, before the one before it`, this.#place(link));
  }

  #add(link: FrameLink, first: number, seen: boolean): void {
    const { deflated, source } = this.#context;
    const position = this.#known();
    const payload = link.size - frameHeader;
    const records = Math.max(0, payload - skipToRecord(position)) / recordBytes;
    // Over the network a second request costs more than half a megabyte, from a disk more than an eighth of one.
    const perPart = source.remote ? 52_428 : 13_107;
    const parts = deflated ? 1 : Math.max(1, Math.ceil(records / perPart));
    this.#frames.push({ at: link.at, size: link.size, position, first, seen, parts: new Array(parts) });
  }

  /** End of the frames known so far, as a position in the stream. */
  #known(): number {
    const last = this.#frames.at(-1);
    return last ? last.position + last.size - frameHeader : 0;
  }

  async #partBegin(f: number, index: number, signal?: AbortSignal): Promise<number> {
    const frame = this.#frames[f] as Frame;
    const known = frame.parts[index];
    if (known !== undefined) return known;
    const bytes = new Uint8Array(4);
    const position = this.#beginOfPart({ frame: f, index });
    let done = 0;
    for (const span of this.#locate(f, position, bytes.length)) {
      const view = await this.#context.source.fetch([span], signal);
      view.copy(bytes.subarray(done, done + span.length), span.offset);
      done += span.length;
    }
    const stored = dataView(bytes).getUint32(0, true);
    const begin = stored === 0 ? Number.POSITIVE_INFINITY : stored - 1;
    frame.parts[index] = begin;
    return begin;
  }

  #beginOfPart(part: Pick<StreamPart, 'frame' | 'index'>): number {
    const { position, size, parts } = this.#frames[part.frame] as Frame;
    const begin = position + skipToRecord(position);
    const records = Math.ceil(Math.max(0, position + size - frameHeader - begin) / recordBytes);
    return begin + Math.ceil(records / parts.length) * part.index * recordBytes;
  }

  #endOfPart(part: Pick<StreamPart, 'frame' | 'index'>): number {
    const { position, size, parts } = this.#frames[part.frame] as Frame;
    if (part.index + 1 < parts.length) return this.#beginOfPart({ frame: part.frame, index: part.index + 1 });
    const end = position + size - frameHeader;
    return end + skipToRecord(end);
  }

  /** The bytes [position, position + length) of the stream in the file, as far as the stream reaches. */
  #locate(f: number, position: number, length: number): ByteSpan[] {
    const spans: ByteSpan[] = [];
    const end = position + length;
    for (let i = f; i < this.#frames.length && position < end; i++) {
      const frame = this.#frames[i] as Frame;
      const stop = Math.min(end, frame.position + frame.size - frameHeader);
      if (stop <= position) continue;
      spans.push({ offset: frame.at + frameHeader + position - frame.position, length: stop - position });
      position = stop;
    }
    return spans;
  }

  /** Whether the frame's own link points where an index said. */
  #isLinked(f: number, view: ByteView): boolean {
    const frame = this.#frames[f] as Frame;
    const header = new Uint8Array(frameHeader);
    view.copy(header, frame.at);
    const next = nextFrame(dataView(header), frame);
    const listed = this.#frames[f + 1];
    return next?.at === listed?.at && next?.size === listed?.size;
  }

  #what(): string {
    return `.stab/${this.partition.ordinal}`;
  }

  #place(frame: FrameLink): string {
    return `${this.#context.source.name}: ${this.#what()}, frame at byte ${frame.at}`;
  }
}

/** The last of `count` ascending values that is at most `limit`; 0 when there is none. */
export function lastAtMost(count: number, value: (i: number) => number, limit: number): number {
  let low = 0;
  let high = count;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (value(middle) <= limit) low = middle;
    else high = middle;
  }
  return low;
}
