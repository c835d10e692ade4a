/** Reads the trace of a request from the header `traceparent` (W3C Trace Context, level 1). */

/** `version-traceid-parentid-flags`; versions after 00 may add fields. */
const pattern = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

export interface RemoteSpan {
  traceId: string;
  spanId: string;
  /** Whether the caller records it. */
  isSampled: boolean;
}

/** Returns the span of the caller; undefined if the header is missing or not valid. */
export function spanOf(header: string | string[] | undefined): RemoteSpan | undefined {
  if (typeof header !== 'string' || header.length > 512) return undefined;
  const [, version, traceId, spanId, flags, more] = pattern.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || (version === '00' && more !== undefined)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags ?? '0', 16) & 1) === 1 };
}

/** Returns the id of the trace, 32 lower-case hexadecimal digits; undefined if the header is missing or not valid. */
export function traceIdOf(header: string | string[] | undefined): string | undefined {
  return spanOf(header)?.traceId;
}
