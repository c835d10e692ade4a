/** Reads the trace of a request from the header `traceparent` (W3C Trace Context, level 1). */

/** `version-traceid-parentid-flags`; versions after 00 may add fields. */
const pattern = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** Returns the id of the trace, 32 lower-case hexadecimal digits; undefined if the header is missing or not valid. */
export function traceIdOf(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string' || header.length > 512) return undefined;
  const [, version, traceId, more] = pattern.exec(header) ?? [];
  return version === '00' && more !== undefined ? undefined : traceId;
}
