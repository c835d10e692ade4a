/** Reads signed tokens in compact form, without trusting them. */
import { utf8Text } from '../../encoding.js';
import { hasRepeatedMember } from './members.js';

export type Members = Readonly<Record<string, unknown>>;

export interface Compact {
  token: string;
  header: Members;
  claims: Members;
}

/** Characters of a token about one thing, such as a visa. */
const longestToken = 16 * 1024;
/** Characters of a token in the head of a request, which may be a passport, of which `http.headerLimit` allows less unless raised. */
export const longestInHead = 1024 * 1024;
/** Without the padding that decoders ignore (RFC 7515, section 2). */
const compact = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * The header and the claims of a token; undefined unless it is a JWS in compact form, in its only encoding, and both are JSON
 * objects in which no member is repeated. Nothing of it is verified. `longest` in characters.
 */
export function readCompact(token: string, longest = longestToken): Compact | undefined {
  if (token.length > longest || !isCompact(token)) return undefined;
  const [header, claims] = token.split('.', 2).map(objectIn);
  return header === undefined || claims === undefined ? undefined : { token, header, claims };
}

/** Whether the text may be a token: three parts, with no padding and no bits in the signature that decoding drops. */
function isCompact(token: string): boolean {
  if (!compact.test(token)) return false;
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/** The JSON object in an encoded part of a token. */
function objectIn(part: string): Members | undefined {
  const text = utf8Text(Buffer.from(part, 'base64url'));
  return text === undefined ? undefined : jsonObject(text);
}

/** The object that the text contains; undefined unless it is valid JSON in which no member is repeated. */
export function jsonObject(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && !hasRepeatedMember(text) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
