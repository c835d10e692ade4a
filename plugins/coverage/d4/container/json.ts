/** Parses JSON headers. */
import { D4Error } from '../error.js';

/**
 * Parses a JSON header that is padded with NULs. The reference implementation loses the closing brace of a header that fills
 * its frames exactly, so one missing brace is added.
 */
export function parseHeader(bytes: Uint8Array, place: string): Record<string, unknown> {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  const text = new TextDecoder().decode(bytes.subarray(0, end));
  const value = parse(text) ?? parse(`${text}}`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new D4Error('broken', 'The header is not a JSON object', place);
  }
  return value as Record<string, unknown>;
}

/**
 * Refuses a header that lacks one of its members and has an unknown one: its name was damaged, and what is assumed in its place
 * would be wrong. Throws D4Error `broken`.
 */
export function checkMembers(header: Record<string, unknown>, known: readonly string[], place: string): void {
  const unknown = Object.keys(header).find((name) => !known.includes(name));
  const missing = known.find((name) => !Object.hasOwn(header, name));
  if (unknown === undefined || missing === undefined) return;
  const message = `The header has no member ${JSON.stringify(missing)}, but an unknown one, ${JSON.stringify(unknown)}`;
  throw new D4Error('broken', message, place);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
