/** Makes, hashes and verifies API tokens. Only hashes are stored, so that a token can be shown only when it is issued. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Fault } from '../fault.js';
import type { StorageLog } from '../storage.js';
import type { ApiToken, TokenRepository } from './contract.js';

/** Minimum length of a token that an operator chooses without `--allow-weak-token`. */
const minimumTokenLength = 16;
const maximumTokenLength = 512;
const touchEvery = 60_000;

export interface NewToken {
  /** The secret itself: shown once and never stored. */
  token: string;
  /** Stored in its place. */
  hash: string;
}

/**
 * Returns a new token, `trf_` and 32 random bytes in base64url, or `own` for a client that has a token already. Throws an
 * `invalid` fault if `own` is too long, not printable ASCII or, unless weak tokens are allowed, too short.
 */
export function makeToken(own?: string, { allowWeak = false }: { allowWeak?: boolean } = {}): NewToken {
  const token = own ?? `trf_${randomBytes(32).toString('base64url')}`;
  if (!isTokenText(token) || (isWeakToken(token) && !allowWeak)) {
    const least = allowWeak ? 1 : minimumTokenLength;
    throw new Fault(
      'invalid',
      `A token has ${least} to ${maximumTokenLength} printable ASCII characters without blanks${
        isTokenText(token) ? '; --allow-weak-token takes a shorter one' : ''
      }`,
    );
  }
  return { token, hash: hashToken(token) };
}

/** Whether a text can be a token, weak or not. */
export function isTokenText(text: string): boolean {
  return text.length <= maximumTokenLength && /^[\x21-\x7e]+$/.test(text);
}

/** Whether a token is so short that it can be guessed. */
export function isWeakToken(token: string): boolean {
  return token.length < minimumTokenLength;
}

/** Printed by commands that accept a weak token. */
export const weakTokenWarning =
  'Warning: a token of fewer than 16 characters can be guessed; issue a new one as soon as the client can use it';

/** SHA-256 in lower-case hexadecimal. Tokens are long and random, so that a slow hash would only add load. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}

/** Returns the stored token; undefined if it is unknown, revoked or expired. */
export async function verifyToken(
  repository: Pick<TokenRepository, 'findByHash'>,
  token: string,
  now: Date,
): Promise<ApiToken | undefined> {
  const hash = hashToken(token);
  const found = await repository.findByHash(hash);
  if (found === undefined || !sameHash(found.hash, hash)) return undefined;
  if (found.revoked !== undefined) return undefined;
  if (found.expires !== undefined && found.expires <= now) return undefined;
  return found;
}

/** Compares again, in constant time: the collation of the storage may ignore case. */
function sameHash(stored: string, asked: string): boolean {
  const [a, b] = [Buffer.from(stored), Buffer.from(asked)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Records uses of tokens, at most once a minute for each, without delaying the request. */
export function usageNotes(repository: TokenRepository, log: StorageLog): (token: ApiToken, now: Date) => void {
  const noted = new Map<string, number>();
  return (token, now) => {
    const last = Math.max(noted.get(token.id) ?? 0, token.lastUsed?.getTime() ?? 0);
    if (now.getTime() - last < touchEvery) return;
    noted.set(token.id, now.getTime());
    repository.touch(token.id, now).catch((error: unknown) => {
      log.warn(
        { tokenId: token.id, reason: error instanceof Error ? error.name : 'unknown' },
        'token use not recorded',
      );
    });
  };
}
