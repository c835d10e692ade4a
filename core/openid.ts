/**
 * Door `trefoil/openid`: routes that require an access token of an OpenID Connect provider. Tokens are signed JWTs, checked
 * against the provider's published keys.
 */
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { SubjectOf } from './auth/claims.js';
import { KeysUnavailable, keySet, kindOfToken, readCompact, timeOfClaim } from './auth/issuers/signed-tokens.js';
import { Fault, isFault } from './fault.js';
import { namedAddress } from './outgoing/reach.js';
import { type Access, bearerIn, type IdentifiedSubject, type RequestHead } from './policy/policy.js';
import type { StorageLog } from './storage.js';

// Tokens of an OpenID Connect provider.

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
export type BearerVerifier = (token: string | undefined, accepted?: AcceptedTokens) => Promise<IdentifiedSubject>;

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
    const keys = await keySet({ ...namedAddress(options.jwksUrl), timeout, cooldown, log });
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
      if (timeOfClaim(payload.exp) === undefined) throw new jose.errors.JWTInvalid('the token has no time of expiry');
      const kind = kindOfToken(protectedHeader, payload);
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

// Access by a bearer token: the places in a request where it is read.

const formTypes: readonly string[] = ['application/x-www-form-urlencoded', 'multipart/form-data'];
const placesOfTokens: Readonly<Record<AcceptedTokens, string>> = {
  access: 'An access token',
  'access-or-id': 'An access token, or an ID token where one is accepted',
};

/** `Authorization: Bearer <token>`; access tokens only, unless `accepted` says otherwise. */
export function headerAccess(verify: BearerVerifier, accepted: AcceptedTokens = 'access'): Access {
  return {
    scheme: {
      name: 'bearer',
      definition: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: `${placesOfTokens[accepted]}.` },
    },
    check: (head) => verify(bearerIn(head), accepted),
  };
}

/**
 * Reads the token from a cookie with this name or from a field of a posted form. One valid token is enough: a stale
 * cookie does not lock out a client that sends a fresh token in the form. The form is read only if no cookie is valid.
 * `further` fields, and cookies with their names, come next and accept ID tokens as well; of several fields the first
 * that is not empty is used. `accepted` says which tokens the field `name` and its cookie may hold.
 */
export function formOrCookieAccess(
  name: string,
  verify: BearerVerifier,
  further: readonly string[] = [],
  accepted: AcceptedTokens = 'access',
): Access {
  const places: { name: string; accepted: AcceptedTokens }[] = [
    { name, accepted },
    ...further.map((one) => ({ name: one, accepted: 'access-or-id' as const })),
  ];
  const alternatives = places.map((place) => `\`${place.name}\``).join(' or ');
  return {
    scheme: {
      name: 'cookie',
      definition: {
        type: 'apiKey',
        in: 'cookie',
        name,
        description: `${placesOfTokens[accepted]}; or the form field ${alternatives}.`,
      },
    },
    async check(head) {
      const cookies = places.filter((place) => cookieOf(head, place.name) !== undefined);
      let refusal: Fault | undefined;
      for (const place of cookies) {
        try {
          return await verify(cookieOf(head, place.name), place.accepted);
        } catch (error) {
          if (!isFault(error) || error.code !== 'unauthenticated') throw error;
          refusal = error;
        }
      }
      if (bringsForm(head)) return undefined;
      if (refusal !== undefined) throw refusal;
      return verify(undefined);
    },
    checkBody(_head, body) {
      const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
      const found = places.find((place) => Object.hasOwn(fields, place.name) && fields[place.name] !== '');
      if (found === undefined) return verify(undefined);
      const token = fields[found.name];
      // A repeated field is not a token.
      return verify(typeof token === 'string' ? token : ' ', found.accepted);
    },
  };
}

function bringsForm({ method, headers }: RequestHead): boolean {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return method === 'POST' && formTypes.includes(type);
}

/** The first cookie with the name, without quotes. */
function cookieOf({ headers }: RequestHead, name: string): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at >= 0 && pair.slice(0, at).trim() === name)
      return pair
        .slice(at + 1)
        .trim()
        .replace(/^"(.*)"$/, '$1');
  }
  return undefined;
}

export { jsonObject } from './auth/issuers/signed-tokens.js';
