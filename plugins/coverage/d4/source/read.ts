/** Reads small pieces of a source: checks their extent, decodes little-endian integers. */
import { D4Error } from '../error.js';
import type { Source, Span } from './source.js';

/** Throws unless the span is inside the file; `what` names it in the error. */
export function inside(source: Source, span: Span, what: string): void {
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
export async function readBytes(source: Source, span: Span, what: string, signal?: AbortSignal): Promise<Uint8Array> {
  inside(source, span, what);
  const bytes = new Uint8Array(span.length);
  const view = await source.fetch([span], signal);
  view.copy(bytes, span.offset);
  return bytes;
}

/** A little-endian view on bytes. */
export function dataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Reads a 64-bit integer as a number; one beyond 2^53 becomes inexact and fails every range check. */
export function int64(view: DataView, at: number): number {
  return Number(view.getBigInt64(at, true));
}
