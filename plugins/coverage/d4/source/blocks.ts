/** Divides a remote file into blocks, parses responses with several byte ranges, and caches the blocks that were used last. */
import { D4Error } from '../error.js';
import type { ByteSpan, ByteView } from './source.js';

/** Unit of the cache, in bytes. Requests are for whole blocks. */
export const blockBytes = 16 * 1024;
/** Missing blocks with less than this between them are requested together. */
const joinBytes = 128 * 1024;

/** Blocks [from, to) of a file. */
export interface BlockRange {
  from: number;
  to: number;
}

/** The blocks that contain a piece of a file. */
export function blocksOfRange(offset: number, length: number, size: number): number[] {
  const from = Math.floor(offset / blockBytes);
  const to = Math.ceil(Math.min(offset + length, size) / blockBytes);
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
}

/** Joins blocks that are adjacent, or nearly so, into ranges. */
export function joinBlocks(blocks: readonly number[]): BlockRange[] {
  const ranges: BlockRange[] = [];
  for (const b of blocks) {
    const last = ranges.at(-1);
    if (last && (b - last.to) * blockBytes < joinBytes) last.to = b + 1;
    else ranges.push({ from: b, to: b + 1 });
  }
  return ranges;
}

/** Keeps the blocks of a file that were used last. */
export class BlockCache {
  readonly #name: string;
  readonly #most: number;
  readonly #blocks = new Map<number, Uint8Array>();

  constructor(name: string, bytes: number) {
    this.#name = name;
    this.#most = Math.ceil(bytes / blockBytes);
  }

  get(block: number): Uint8Array | undefined {
    return this.#blocks.get(block);
  }

  clear(): void {
    this.#blocks.clear();
  }

  /** A view of the spans, if all their blocks are in memory. It keeps them, whatever the cache removes later. */
  view(spans: readonly ByteSpan[], fetched?: ReadonlyMap<number, Uint8Array>): ByteView | undefined {
    const held = new Map<number, Uint8Array>();
    for (const { offset, length } of spans) {
      for (let b = Math.floor(offset / blockBytes); b * blockBytes < offset + length; b++) {
        const block = this.#blocks.get(b) ?? fetched?.get(b);
        if (!block) return undefined;
        this.#blocks.delete(b);
        this.#blocks.set(b, block);
        held.set(b, block);
      }
    }
    this.#shrink();
    return {
      copy: (target, offset) => {
        for (let done = 0; done < target.length; ) {
          const at = offset + done;
          const block = held.get(Math.floor(at / blockBytes));
          const piece = block?.subarray(at % blockBytes, (at % blockBytes) + target.length - done);
          if (!piece?.length) throw new D4Error('truncated', 'The file ends early', `${this.#name}: byte ${at}`);
          target.set(piece, done);
          done += piece.length;
        }
      },
    };
  }

  /** Caches the complete blocks of a response; the last block of the file may be short. */
  keep(offset: number, bytes: Uint8Array, size: number): Map<number, Uint8Array> {
    const kept = new Map<number, Uint8Array>();
    for (let b = Math.ceil(offset / blockBytes); ; b++) {
      const start = b * blockBytes - offset;
      const length = Math.min(blockBytes, size - b * blockBytes);
      if (length <= 0 || start + length > bytes.length) break;
      // A copy, so that one cached block does not keep a whole response in memory.
      const block = bytes.slice(start, start + length);
      kept.set(b, block);
      this.#blocks.set(b, block);
    }
    return kept;
  }

  #shrink(): void {
    for (const b of this.#blocks.keys()) {
      if (this.#blocks.size <= this.#most) return;
      this.#blocks.delete(b);
    }
  }
}

// Parses responses with several byte ranges.

/** One part of a multipart/byteranges response (RFC 9110, 14.6). */
interface BytePart {
  offset: number;
  bytes: Uint8Array;
  /** Bytes of the whole file. */
  size: number;
}

/** Parses a multipart/byteranges body. Each part states its length, so that its contents are never searched. */
export function parseByteRanges(body: Uint8Array, contentType: string, place: string): BytePart[] {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  if (!boundary) throw new D4Error('unreachable', 'The server sends several ranges without a boundary', place);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const delimiter = `--${boundary[1] ?? boundary[2]}`;
  const parts: BytePart[] = [];
  let at = bytes.indexOf(delimiter);
  while (at >= 0) {
    const afterDelimiter = at + delimiter.length;
    if (bytes.toString('latin1', afterDelimiter, afterDelimiter + 2) === '--') return parts;
    const end = bytes.indexOf('\r\n\r\n', afterDelimiter);
    const head = end < 0 ? '' : bytes.toString('latin1', afterDelimiter, end);
    const range = /^content-range:\s*bytes (\d+)-(\d+)\/(\d+)\s*$/im.exec(head);
    if (!range) break;
    const [offset, last, size] = range.slice(1).map(Number) as [number, number, number];
    const from = end + 4;
    const to = from + last - offset + 1;
    if (last < offset || to > bytes.length) break;
    parts.push({ offset, bytes: bytes.subarray(from, to), size });
    at = bytes.indexOf(delimiter, to);
  }
  throw new D4Error('unreachable', 'The server sends several ranges in a form that cannot be read', place);
}
