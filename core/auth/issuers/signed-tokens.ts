/**
 * Signed tokens of identity providers: read in compact form without trusting them, then checked for their signature, their
 * times and their purpose. The provider's published keys are fetched rarely, with limits, and cached during an outage.
 */
import type { JWTHeaderParameters, JWTPayload, JWTVerifyGetKey } from 'jose';
import type { AddressReach } from '../../outgoing/reach.js';
import { send } from '../../outgoing/request.js';
import type { StorageLog } from '../../storage.js';
import { utf8Text } from '../../text.js';
import type { IssuerSettings } from './settings.js';

export type JsonMembers = Readonly<Record<string, unknown>>;

export interface Compact {
  token: string;
  header: JsonMembers;
  claims: JsonMembers;
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
function objectIn(part: string): JsonMembers | undefined {
  const text = utf8Text(Buffer.from(part, 'base64url'));
  return text === undefined ? undefined : jsonObject(text);
}

/** The object that the text contains; undefined unless it is valid JSON in which no member is repeated. */
export function jsonObject(text: string): JsonMembers | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && !hasRepeatedMember(text) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function isObject(value: unknown): value is JsonMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// JSON objects that name a member twice: parsers disagree on which one counts.

/** A text, or one of the characters that give JSON its structure. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/** Whether an object in the JSON text names a member twice, also by another spelling of it. The text must be valid JSON. */
export function hasRepeatedMember(json: string): boolean {
  /** The members of the objects around; undefined for arrays. */
  const around: (Set<string> | undefined)[] = [];
  let isName = false;
  for (const [token] of json.matchAll(tokens)) {
    if (token === '{') {
      around.push(new Set());
      isName = true;
    } else if (token === '[') {
      around.push(undefined);
      isName = false;
    } else if (token === '}' || token === ']') {
      around.pop();
      isName = false;
    } else if (token === ',') {
      isName = around.at(-1) !== undefined;
    } else if (token !== ':' && isName) {
      const name = JSON.parse(token) as string;
      const members = around.at(-1);
      if (members?.has(name)) return true;
      members?.add(name);
      isName = false;
    }
  }
  return false;
}

// Checks the signature and the times of tokens that were read.

/** Algorithms that the AAI profile allows, and that access tokens are signed with unless the configuration says otherwise. */
export const usualAlgorithms: readonly string[] = ['RS256', 'ES256'];

/** Longest `sub` and `iss` in characters (OpenID Connect Core, section 2). */
const longestName = 255;
/** Seconds since 1970: no token needs later times, and arithmetic with them stays exact. */
const latest = 100_000_000_000;

/** Whether the header names an accepted algorithm and a key, and nothing that must be understood (`crit`). */
export function isPlainHeader(header: JsonMembers, algorithms: readonly string[]): boolean {
  return typeof header.alg === 'string' && algorithms.includes(header.alg) && header.crit === undefined;
}

/** A time of a token in seconds since 1970; undefined for anything but a number in a sensible range. */
export function timeOfClaim(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= latest ? value : undefined;
}

/** A name that a token gives its subject or issuer; undefined for anything but a text of 1 to 255 characters. */
export function nameInClaim(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= longestName ? value : undefined;
}

/**
 * Whether `exp` is later than now, `iat` is not in the future, and neither is `nbf` if there is one; `tolerance` in seconds is
 * for clocks that differ. `now` in seconds since 1970.
 */
export function isCurrent({ exp, iat, nbf }: JsonMembers, now: number, tolerance: number): boolean {
  const [expires, issued, begins] = [timeOfClaim(exp), timeOfClaim(iat), nbf === undefined ? 0 : timeOfClaim(nbf)];
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

// The purpose of a signed token of an identity provider, from its header and claims.

/**
 * `access` is for an API; `id` tells a client who has signed in (OpenID Connect Core, section 2); `other` is neither, such
 * as a logout token (Back-Channel Logout, section 2.4) or a refresh token.
 */
type TokenKind = 'access' | 'id' | 'other';

/** The header's type of access tokens (RFC 9068), with providers' prefixes. `JWT` or no type leaves the kind open. */
const accessType = /(?:^|[/-])at\+jwt$/i;
/** Keycloak states the kind of a token in its claims. */
const claimedKinds: Readonly<Record<string, TokenKind>> = { bearer: 'access', dpop: 'access', id: 'id' };

export function kindOfToken({ typ }: Pick<JWTHeaderParameters, 'typ'>, claims: JWTPayload): TokenKind {
  const accessByHeader = typ !== undefined && accessType.test(typ);
  if (!accessByHeader && typ !== undefined && !/^(?:application\/)?jwt$/i.test(typ)) return 'other';
  // The claim of security events: logout tokens have it, and other tokens must not.
  if (claims.events !== undefined) return 'other';
  const { typ: claimed } = claims;
  if (typeof claimed === 'string' && !/^jwt$/i.test(claimed)) return claimedKinds[claimed.toLowerCase()] ?? 'other';
  if (accessByHeader) return 'access';
  const hasHash = ['at_hash', 'c_hash', 's_hash'].some((name) => claims[name] !== undefined);
  // A nonce is for the client that asked for the sign-in; some access tokens carry it beside their scopes.
  const forClient = claims.nonce !== undefined && claims.scope === undefined && claims.scp === undefined;
  return hasHash || forClient ? 'id' : 'access';
}

// Access tokens of a configured issuer.

interface AccessToken {
  subject: string;
  /** Whether it names this server as its audience, so that its claims count. */
  isForUs: boolean;
  /** Whether it may be used to fetch visas: it has both scopes, as whole words (AAI profile 1.2). */
  hasPassportScope: boolean;
}

/**
 * What a token says that claims to be an access token of this issuer; undefined if it may not be accepted, whatever its
 * signature. `now` in seconds since 1970.
 */
export function accessTokenIn(
  { header, claims }: Compact,
  settings: IssuerSettings,
  now: number,
): AccessToken | undefined {
  const { issuer, algorithms, audience, requireAudience, clockTolerance } = settings;
  const subject = nameInClaim(claims.sub);
  const scopes = typeof claims.scope === 'string' ? claims.scope.split(' ') : [];
  const hasPassportScope = scopes.includes('openid') && scopes.includes('ga4gh_passport_v1');
  const isForUs = [claims.aud].flat().some((one) => [audience].flat().includes(one as string));
  const needsNoAudience = !requireAudience && claims.aud === undefined && hasPassportScope;
  const isAccessToken =
    typeof (header.typ ?? '') === 'string' &&
    kindOfToken({ typ: header.typ as string }, claims as JWTPayload) === 'access' &&
    // A visa has a subject, an issuer and times like an access token.
    claims.ga4gh_visa_v1 === undefined;
  const isValid =
    isAccessToken &&
    isPlainHeader(header, algorithms) &&
    claims.iss === issuer &&
    (isForUs || needsNoAudience) &&
    isCurrent({ ...claims, iat: claims.iat ?? 0 }, now, clockTolerance);
  return isValid && subject !== undefined ? { subject, isForUs, hasPassportScope } : undefined;
}

// The published keys of an identity provider.

export interface KeySetOptions {
  url: URL;
  /** Addresses to which the connection may lead. */
  reach: AddressReach;
  /** Seconds after which a fetch of the keys is aborted. */
  timeout: number;
  /** Minimum seconds between two fetches because of unknown keys, which anyone can name. */
  cooldown: number;
  /** Minimum seconds between two fetches of a provider that fails; `cooldown` if omitted. */
  retry?: number;
  log: Pick<StorageLog, 'warn'>;
}

/** Maximum bytes of a key set; a usual one has a few kilobytes. */
const maxBytes = 1024 * 1024;

/** The keys cannot be fetched, so that nothing is known of the token. */
export class KeysUnavailable extends Error {}

/**
 * Makes a function that finds the key for a token's header. The keys are fetched on first use, every ten minutes, and when a
 * token names an unknown key (rotation), but never more often than `cooldown` allows. Throws KeysUnavailable, or an error of
 * jose if there is no such key.
 */
export async function keySet(options: KeySetOptions): Promise<JWTVerifyGetKey> {
  const { url, reach, timeout, cooldown, retry, log } = options;
  const jose = await import('jose');
  const source = keyFetch({
    cooldown: (retry ?? cooldown) * 1000,
    log,
    async read() {
      const { status, body } = await send({ method: 'GET', url, reach, timeoutMs: timeout * 1000, maxBytes });
      if (status !== 200) throw new Error(`the identity provider responds with status ${status}`);
      return body;
    },
  });
  const published = jose.createRemoteJWKSet(url, {
    timeoutDuration: timeout * 1000,
    cooldownDuration: cooldown * 1000,
    [jose.customFetch]: source.fetch,
  });
  const { JWKSNoMatchingKey, JWKSMultipleMatchingKeys, JOSENotSupported } = jose.errors;
  return async (...asked) => {
    try {
      return await published(...asked);
    } catch (error) {
      // The missing key may have been published while the provider could not be reached.
      const missing = error instanceof JWKSNoMatchingKey && !source.failing();
      if (missing || error instanceof JWKSMultipleMatchingKeys || error instanceof JOSENotSupported) throw error;
      throw new KeysUnavailable('the keys could not be fetched', { cause: error });
    }
  };
}

// Fetches the keys of an identity provider.

interface KeyFetchOptions {
  /** Minimum milliseconds between two attempts. */
  cooldown: number;
  /** Requests the key set once. Throws if there is none. */
  read(): Promise<string>;
  log: Pick<StorageLog, 'warn'>;
}

/** Milliseconds for which cached keys are used while the provider fails. Its tokens rarely live longer. */
const keep = 60 * 60 * 1000;

interface KeyFetch {
  fetch(): Promise<Response>;
  /** Whether the last attempt failed, so that the cached keys may be outdated. */
  failing(): boolean;
}

/**
 * Makes a `fetch` for key sets. After a failure it returns the keys of the last success, for up to an hour, or fails if
 * there are none; it does not contact the provider again before the cooldown is over.
 */
function keyFetch({ cooldown, read, log }: KeyFetchOptions): KeyFetch {
  let last: { text: string; at: number } | undefined;
  let failed: { error: unknown; at: number } | undefined;

  const lastKnown = (error: unknown): Response => {
    if (last === undefined || performance.now() - last.at > keep) throw error;
    return answer(last.text);
  };

  const attempt: KeyFetch['fetch'] = async () => {
    if (failed !== undefined && performance.now() - failed.at < cooldown) return lastKnown(failed.error);
    try {
      const text = await read();
      JSON.parse(text);
      last = { text, at: performance.now() };
      failed = undefined;
      return answer(text);
    } catch (error) {
      failed = { error, at: performance.now() };
      log.warn({ kept: last !== undefined }, 'the keys of the identity provider could not be fetched');
      return lastKnown(error);
    }
  };
  return { fetch: attempt, failing: () => failed !== undefined };
}

function answer(text: string): Response {
  return new Response(text, { status: 200, headers: { 'Content-Type': 'application/json' } });
}
