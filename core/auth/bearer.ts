/** Tokens of an OpenID Connect provider: signed JWTs, checked against the provider's published keys. */
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { Fault } from '../fault.js';
import type { Subject } from '../policy/caller.js';
import type { StorageLog } from '../storage.js';
import { keyFetch } from './keys.js';
import { kindOf } from './token-kind.js';

export interface BearerOptions {
  /** Address of the provider's JSON Web Key Set. */
  jwksUrl: string;
  /** What `aud` must be, or hold where it is a list. */
  audience: string;
  /** What `iss` must be; any issuer whose keys are in the set if omitted. */
  issuer?: string | undefined;
  /** JWS algorithms that are accepted; never `none` or HMAC. */
  algorithms: readonly string[];
  /** Seconds by which clocks may differ. */
  clockTolerance: number;
  /** Seconds in which the keys must arrive. */
  timeout: number;
  /** Seconds between two fetches of the keys at least. */
  cooldown: number;
  log: Pick<StorageLog, 'warn'>;
  now(): Date;
}

/** Which tokens a place in a request takes: access tokens only, or ID tokens as well. Logout tokens are never taken. */
export type AcceptedTokens = 'access' | 'access-or-id';

/**
 * Returns whose token it is. Throws an `unauthenticated` fault if it is missing or not valid, whatever the reason, and an
 * `unavailable` one if it cannot be checked because the keys cannot be fetched. Access tokens only unless said otherwise.
 */
export type BearerVerifier = (token: string | undefined, accepted?: AcceptedTokens) => Promise<Subject>;

const challenge = 'Bearer realm="trefoil"';
/** Longer than any token that fits into a header. */
const longest = 16 * 1024;
/** A signed token in its compact form, without the padding that decoders overlook (RFC 7515, section 2). */
const compact = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * A verifier that keeps the keys: they are fetched when first needed, every ten minutes, and when a token names a key that
 * is not among them (rotation), never more often than `cooldown` says.
 */
export function bearerVerifier(options: BearerOptions): BearerVerifier {
  if (options.algorithms.some((name) => name === 'none' || name.startsWith('HS'))) {
    throw new TypeError('tokens must be signed with a private key');
  }
  const { audience, issuer, clockTolerance } = options;
  let made: Promise<{ jose: typeof import('jose'); keys: JWTVerifyGetKey }> | undefined;
  /** Loaded by the first token only. */
  const prepare = async () => {
    const jose = await import('jose');
    const { timeout, cooldown, log } = options;
    const source = keyFetch({ cooldown: cooldown * 1000, log });
    const published = jose.createRemoteJWKSet(new URL(options.jwksUrl), {
      timeoutDuration: timeout * 1000,
      cooldownDuration: cooldown * 1000,
      [jose.customFetch]: source.fetch,
    });
    const { JWKSNoMatchingKey, JWKSMultipleMatchingKeys, JOSENotSupported } = jose.errors;
    const keys: JWTVerifyGetKey = async (...asked) => {
      try {
        return await published(...asked);
      } catch (error) {
        // A key that was published while the provider was away may be the one that is not found.
        const missing = error instanceof JWKSNoMatchingKey && !source.failing();
        if (missing || error instanceof JWKSMultipleMatchingKeys || error instanceof JOSENotSupported) throw error;
        throw new KeysUnavailable('the keys could not be fetched', { cause: error });
      }
    };
    return { jose, keys };
  };

  /** What can be said of claims without keys, so that what is refused anyway is refused. */
  const mayBeGood = ({ aud, exp, nbf, iss }: JWTPayload): boolean => {
    const now = options.now().getTime() / 1000;
    const current = exp !== undefined && exp > now - clockTolerance && (nbf ?? 0) <= now + clockTolerance;
    return current && [aud].flat().includes(audience) && (issuer === undefined || iss === issuer);
  };

  return async (token, accepted = 'access') => {
    if (token === undefined || token === '') throw refusal('This needs an access token', challenge);
    made ??= prepare();
    const { jose, keys } = await made;
    try {
      if (token.length > longest) throw new jose.errors.JWTInvalid('the token is too long');
      if (!isCanonical(token)) throw new jose.errors.JWTInvalid('the token is not in its compact form');
      const { payload, protectedHeader } = await jose.jwtVerify(token, keys, {
        algorithms: [...options.algorithms],
        audience,
        ...(issuer === undefined ? {} : { issuer }),
        requiredClaims: ['aud', 'exp'],
        clockTolerance,
        currentDate: options.now(),
      });
      const kind = kindOf(protectedHeader, payload);
      if (kind === 'other' || (kind === 'id' && accepted === 'access')) {
        throw new jose.errors.JWTInvalid(`a token of the kind ${kind} opens nothing here`);
      }
      return { kind: 'subject', owner: payload.sub ?? '' };
    } catch (cause) {
      if (cause instanceof KeysUnavailable && mayBeGood(jose.decodeJwt(token))) {
        throw new Fault('unavailable', 'The keys of the identity provider cannot be fetched at the moment: try again', {
          headers: { 'Retry-After': String(Math.ceil(options.cooldown)) },
          cause,
        });
      }
      // Which check failed is nobody's business but the provider's: whoever holds a good token never sees this.
      throw refusal('The access token is not valid', `${challenge}, error="invalid_token"`, cause);
    }
  };
}

class KeysUnavailable extends Error {}

/** Whether the signature has one spelling only: no padding, no bits that decoding drops. */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return compact.test(token) && Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

function refusal(message: string, header: string, cause?: unknown): Fault {
  return new Fault('unauthenticated', message, { headers: { 'WWW-Authenticate': header }, cause });
}
