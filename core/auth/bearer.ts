/** Access tokens of an OpenID Connect provider: signed JWTs, checked against the provider's published keys. */
import type { JWTVerifyGetKey } from 'jose';
import { Fault } from '../fault.js';
import type { Principal } from '../http/route.js';
import type { StorageLog } from '../storage.js';
import { keyFetch } from './keys.js';

export interface BearerOptions {
  /** Address of the provider's JSON Web Key Set. */
  jwksUrl: string;
  /** What `aud` must be, or hold where it is a list. */
  audience: string;
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

/** Answers whose token it is. Throws an `unauthenticated` fault where it is absent or not valid, whatever the reason. */
export type BearerVerifier = (token: string | undefined) => Promise<Principal>;

const challenge = 'Bearer realm="trefoil"';
/** Longer than any token that fits into a header. */
const longest = 16 * 1024;

/**
 * A verifier that keeps the keys: they are fetched when first needed, every ten minutes, and when a token names a key that
 * is not among them (rotation), never more often than `cooldown` says.
 */
export function bearerVerifier(options: BearerOptions): BearerVerifier {
  if (options.algorithms.some((name) => name === 'none' || name.startsWith('HS'))) {
    throw new TypeError('tokens must be signed with a private key');
  }
  let made: Promise<{ jose: typeof import('jose'); keys: JWTVerifyGetKey }> | undefined;
  /** Loaded by the first token only. */
  const prepare = async () => {
    const jose = await import('jose');
    const { timeout, cooldown, log } = options;
    const keys = jose.createRemoteJWKSet(new URL(options.jwksUrl), {
      timeoutDuration: timeout * 1000,
      cooldownDuration: cooldown * 1000,
      [jose.customFetch]: keyFetch({ cooldown: cooldown * 1000, log }),
    });
    return { jose, keys };
  };

  return async (token) => {
    if (token === undefined || token === '') throw refusal('This needs an access token', challenge);
    made ??= prepare();
    const { jose, keys } = await made;
    try {
      if (token.length > longest) throw new jose.errors.JWTInvalid('the token is too long');
      const { payload } = await jose.jwtVerify(token, keys, {
        algorithms: [...options.algorithms],
        audience: options.audience,
        requiredClaims: ['aud', 'exp'],
        clockTolerance: options.clockTolerance,
        currentDate: options.now(),
      });
      const scopes = typeof payload.scope === 'string' ? payload.scope.split(' ').filter((one) => one !== '') : [];
      return { owner: payload.sub ?? '', scopes };
    } catch (cause) {
      // Which check failed is nobody's business but the provider's: whoever holds a good token never sees this.
      throw refusal('The access token is not valid', `${challenge}, error="invalid_token"`, cause);
    }
  };
}

function refusal(message: string, header: string, cause?: unknown): Fault {
  return new Fault('unauthenticated', message, { headers: { 'WWW-Authenticate': header }, cause });
}
