/** Tokens of an OpenID Connect provider: signed JWTs, checked against the provider's published keys. */
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { Fault } from '../fault.js';
import { named } from '../outgoing/addresses.js';
import type { Subject } from '../policy/caller.js';
import type { StorageLog } from '../storage.js';
import type { SubjectOf } from './claims.js';
import { readCompact } from './issuers/compact.js';
import { timeOf } from './issuers/signed.js';
import { KeysUnavailable, keySet } from './key-set.js';
import { kindOf } from './token-kind.js';

export interface BearerOptions {
  /** Address of the provider's JSON Web Key Set. */
  jwksUrl: string;
  /** The `aud` claim must equal this, or contain it if it is a list. */
  audience: string;
  /** The `iss` claim must equal this; if omitted, any issuer whose keys are in the set is accepted. */
  issuer?: string | undefined;
  /** Accepted JWS algorithms; never `none` or HMAC. */
  algorithms: readonly string[];
  /** Accepted clock skew in seconds. */
  clockTolerance: number;
  /** Seconds after which a fetch of the keys is aborted. */
  timeout: number;
  /** Minimum seconds between two fetches of the keys. */
  cooldown: number;
  log: Pick<StorageLog, 'warn'>;
  now(): Date;
  /** Makes the subject of verified claims; by default it has no rights. */
  subjectOf?: SubjectOf | undefined;
}

/** The tokens that are accepted in a place of a request: access tokens only, or ID tokens as well; never logout tokens. */
export type AcceptedTokens = 'access' | 'access-or-id';

/**
 * Returns the subject of the token. Throws an `unauthenticated` fault if the token is missing or not valid, whatever the
 * reason, and an `unavailable` fault if it cannot be checked because the keys cannot be fetched. By default accepts
 * access tokens only.
 */
export type BearerVerifier = (token: string | undefined, accepted?: AcceptedTokens) => Promise<Subject>;

const challenge = 'Bearer realm="trefoil"';

/**
 * Makes a verifier that caches the keys. They are fetched on first use, every ten minutes, and when a token names an
 * unknown key (rotation), but never more often than `cooldown` allows.
 */
export function bearerVerifier(options: BearerOptions): BearerVerifier {
  if (options.algorithms.some((name) => name === 'none' || name.startsWith('HS'))) {
    throw new TypeError('tokens must be signed with a private key');
  }
  const { audience, issuer, clockTolerance } = options;
  let made: Promise<{ jose: typeof import('jose'); keys: JWTVerifyGetKey }> | undefined;
  /** Loads jose with the first token. */
  const prepare = async () => {
    const { timeout, cooldown, log } = options;
    const keys = await keySet({ ...named(options.jwksUrl), timeout, cooldown, log });
    return { jose: await import('jose'), keys };
  };

  /** Checks the claims without keys: a token that would be refused anyway is refused, not reported as unavailable. */
  const mayBeValid = ({ aud, exp, nbf, iss }: JWTPayload): boolean => {
    const now = options.now().getTime() / 1000;
    const current = exp !== undefined && exp > now - clockTolerance && (nbf ?? 0) <= now + clockTolerance;
    return current && [aud].flat().includes(audience) && (issuer === undefined || iss === issuer);
  };

  return async (token, accepted = 'access') => {
    if (token === undefined || token === '') throw refusal('This needs an access token', challenge);
    made ??= prepare();
    const { jose, keys } = await made;
    try {
      if (readCompact(token) === undefined) throw new jose.errors.JWTInvalid('the token is not in its compact form');
      const { payload, protectedHeader } = await jose.jwtVerify(token, keys, {
        algorithms: [...options.algorithms],
        audience,
        ...(issuer === undefined ? {} : { issuer }),
        requiredClaims: ['aud', 'exp'],
        clockTolerance,
        currentDate: options.now(),
      });
      // A number that overflows never expires.
      if (timeOf(payload.exp) === undefined) throw new jose.errors.JWTInvalid('the token has no time of expiry');
      const kind = kindOf(protectedHeader, payload);
      if (kind === 'other' || (kind === 'id' && accepted === 'access')) {
        throw new jose.errors.JWTInvalid(`tokens of the kind ${kind} are not accepted here`);
      }
      return options.subjectOf?.(payload, payload.iss ?? '') ?? { kind: 'subject', owner: payload.sub ?? '' };
    } catch (cause) {
      if (cause instanceof KeysUnavailable && mayBeValid(jose.decodeJwt(token))) {
        throw new Fault(
          'unavailable',
          'The keys of the identity provider cannot be fetched at the moment; try again later',
          {
            headers: { 'Retry-After': String(Math.ceil(options.cooldown)) },
            cause,
          },
        );
      }
      // One message for all: to name the failed check would help only those who forge tokens.
      throw refusal('The access token is not valid', `${challenge}, error="invalid_token"`, cause);
    }
  };
}

function refusal(message: string, header: string, cause?: unknown): Fault {
  return new Fault('unauthenticated', message, { headers: { 'WWW-Authenticate': header }, cause });
}
