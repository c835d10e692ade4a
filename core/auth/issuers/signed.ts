/** Checks the signature and the times of tokens that were read. */
import type { JWTVerifyGetKey } from 'jose';
import { KeysUnavailable } from '../key-set.js';
import type { Compact, Members } from './compact.js';

/** Algorithms that the AAI profile allows, and that access tokens are signed with unless the configuration says otherwise. */
export const usualAlgorithms: readonly string[] = ['RS256', 'ES256'];

/** Longest `sub` and `iss` in characters (OpenID Connect Core, section 2). */
const longestName = 255;
/** Seconds since 1970: no token needs later times, and arithmetic with them stays exact. */
const latest = 100_000_000_000;

/** Whether the header names an accepted algorithm and a key, and nothing that must be understood (`crit`). */
export function isPlainHeader(header: Members, algorithms: readonly string[]): boolean {
  return typeof header.alg === 'string' && algorithms.includes(header.alg) && header.crit === undefined;
}

/** A time of a token in seconds since 1970; undefined for anything but a number in a sensible range. */
export function timeOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= latest ? value : undefined;
}

/** A name that a token gives its subject or issuer; undefined for anything but a text of 1 to 255 characters. */
export function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= longestName ? value : undefined;
}

/**
 * Whether `exp` is later than now, `iat` is not in the future, and neither is `nbf` if there is one; `tolerance` in seconds is
 * for clocks that differ. `now` in seconds since 1970.
 */
export function isCurrent({ exp, iat, nbf }: Members, now: number, tolerance: number): boolean {
  const [expires, issued, begins] = [timeOf(exp), timeOf(iat), nbf === undefined ? 0 : timeOf(nbf)];
  if (expires === undefined || issued === undefined || begins === undefined) return false;
  return expires > now - tolerance && issued <= now + tolerance && begins <= now + tolerance;
}

/**
 * Whether the signature is valid for a key of the set; `unknown key` if the set has no key of that name (yet). Throws
 * KeysUnavailable if that cannot be found out.
 */
export async function isSigned(
  { token }: Compact,
  keys: JWTVerifyGetKey,
  algorithms: readonly string[],
): Promise<boolean | 'unknown key'> {
  const { compactVerify, errors } = await import('jose');
  try {
    await compactVerify(token, keys as Parameters<typeof compactVerify>[1], { algorithms: [...algorithms] });
    return true;
  } catch (error) {
    if (error instanceof KeysUnavailable) throw error;
    if (error instanceof errors.JWKSNoMatchingKey) return 'unknown key';
    // Every other failure is the token's: a key too short, another signature.
    return false;
  }
}
