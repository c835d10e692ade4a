/** Parses responses with several byte ranges. */
import { D4Error } from '../error.js';

/** One part of a multipart/byteranges response (RFC 9110, 14.6). */
export interface BytePart {
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
