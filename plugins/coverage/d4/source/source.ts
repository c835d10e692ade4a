/**
 * Where the bytes of a D4 file come from: the interface of all sources, the reading of small pieces of one, and the source
 * whose bytes are in memory.
 */
import { D4Error } from '../error.js';

/** A piece of a file, in bytes. `ahead` is the length that would be useful if a request is needed anyway. */
export interface ByteSpan {
  offset: number;
  length: number;
  ahead?: number;
}

/** Bytes that were fetched, and can be copied without waiting. */
export interface ByteView {
  /** Fills the whole target with the bytes from offset on. Throws D4Error if they cannot be read. */
  copy(target: Uint8Array, offset: number): void;
}

/** A version of a local file. */
export interface LocalIdentity {
  path: string;
  device: number;
  inode: number;
  size: number;
  /** Milliseconds since 1970. */
  modified: number;
}

/** Where a file's bytes come from. */
export interface Source {
  /** Path or URL, used in error places. */
  readonly name: string;
  /** Set if workers can open the same file themselves. */
  readonly local?: LocalIdentity;
  /** Bytes in the file. */
  readonly size: number;
  /** Identifies the version of the bytes, besides their number; undefined for bytes in memory. */
  readonly version?: string | undefined;
  /** Whether each fetch may cost a network round trip. */
  readonly remote: boolean;
  /** Fetches all spans together. They must be inside the file. The library itself ends waiting for one that ignores its signal. */
  fetch(spans: readonly ByteSpan[], signal?: AbortSignal): ByteView | Promise<ByteView>;
  /**
   * Throws D4Error `changed` if the bytes may be another version's by now than when the file was opened. The library calls it after
   * reading, also when the bytes made no sense; a source whose `fetch` throws that error needs none.
   */
  check?(): void;
  close(): void;
}

// Reads small pieces of a source: checks their extent, decodes little-endian integers.

/** Throws unless the span is inside the file; `what` names it in the error. */
export function inside(source: Source, span: ByteSpan, what: string): void {
  const { offset, length } = span;
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0) {
    throw new D4Error('broken', `${what} has an impossible position or size`, `${source.name}: ${what}`);
  }
  if (offset + length > source.size) {
    throw new D4Error(
      'truncated',
      `${what} reaches byte ${offset + length} but the file has ${source.size}`,
      `${source.name}: ${what}, byte ${offset}`,
    );
  }
}

/** Reads one small piece whole. */
export async function readBytes(
  source: Source,
  span: ByteSpan,
  what: string,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  inside(source, span, what);
  const bytes = new Uint8Array(span.length);
  const view = await source.fetch([span], signal);
  view.copy(bytes, span.offset);
  return bytes;
}

/** Bytes one after the other, `length` of them in all. */
export function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Memory, also shared; of which pages may have none. */
export function isBuffer(value: unknown): value is ArrayBufferLike {
  const { SharedArrayBuffer: Shared } = globalThis as { SharedArrayBuffer?: SharedArrayBufferConstructor };
  return value instanceof ArrayBuffer || (Shared !== undefined && value instanceof Shared);
}

/** A little-endian view on bytes. */
export function dataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Reads a 64-bit integer as a number; one beyond 2^53 becomes inexact and fails every range check. */
export function int64(view: DataView, at: number): number {
  return Number(view.getBigInt64(at, true));
}

// A source whose bytes are in memory.

/** Bytes in memory, read like a file. */
export function memorySource(bytes: Uint8Array, name = 'memory'): Source {
  const view: ByteView = {
    copy(target, offset) {
      if (offset + target.length > bytes.length) {
        throw new D4Error('truncated', 'The bytes end early', `${name}: byte ${bytes.length}`);
      }
      target.set(bytes.subarray(offset, offset + target.length));
    },
  };
  return { name, size: bytes.length, remote: false, fetch: () => view, close: () => undefined };
}
