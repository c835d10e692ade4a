/** Checks single visas (GA4GH Passport 1.2, AAI profile 1.2). A visa that fails is ignored; it is never an error. */
import type { JWTVerifyGetKey } from 'jose';
import { configured } from '../../outgoing/addresses.js';
import type { StorageLog } from '../../storage.js';
import { isObject, type Members, readCompact } from '../issuers/compact.js';
import { failureRetry, guardedKeys, keyRefresh } from '../issuers/provider.js';
import { isCurrent, isPlainHeader, isSigned, nameOf, timeOf, usualAlgorithms } from '../issuers/signed.js';
import { KeysUnavailable } from '../key-set.js';
import type { VisaIssuerSettings } from './settings.js';

/** An account of a person at an issuer. */
export interface Identity {
  issuer: string;
  subject: string;
}

/** A visa that passed all checks which need no other visa. */
export interface Visa extends Identity {
  type: string;
  value: string;
  source: string;
  by?: string;
  /** Whose account it is about, if its issuer uses the names of another one. */
  about: Identity;
  /** What other visas must say for this one to count; undefined if nothing. */
  conditions?: unknown;
  /** Seconds since 1970 after which it no longer counts. */
  expires: number;
}

/** Why a visa is ignored: words for the log, without anything from the visa. */
export interface Ignored {
  ignored: string;
  /** Seconds after which it may count when it is checked again; undefined if it never will. */
  retry?: number;
}

export type VisaChecker = (token: unknown) => Promise<Visa | Ignored>;

export interface VisaCheckerOptions {
  issuers: readonly VisaIssuerSettings[];
  log: Pick<StorageLog, 'warn'>;
  now(): Date;
}

/** Seconds by which clocks may differ: for `iat`, `nbf` and `asserted`, and never for `exp`. */
const tolerance = 60;
/** Seconds within which a key set must arrive. */
const timeout = 5;
/** Characters; the specification limits URLs to these. */
const longestValue = 255;
const types: readonly string[] = ['vnd.ga4gh.visa+jwt', 'application/vnd.ga4gh.visa+jwt', 'jwt'];

/** Makes the function that checks visas, with a cache of the issuers' keys. */
export function visaChecker({ issuers, log, now }: VisaCheckerOptions): VisaChecker {
  const trusted = new Map(issuers.map((one) => [one.issuer, one]));
  const sets = new Map<string, Promise<JWTVerifyGetKey>>();

  function keysAt(address: string): Promise<JWTVerifyGetKey> {
    const known = sets.get(address) ?? guardedKeys(configured(address), timeout, log);
    sets.set(address, known);
    return known;
  }

  return async (token) => {
    const read = typeof token === 'string' ? readCompact(token) : undefined;
    if (read === undefined) return ignore('is not a signed token of the right form');
    const { header, claims } = read;
    const hasType =
      header.typ === undefined || (typeof header.typ === 'string' && types.includes(header.typ.toLowerCase()));
    if (!hasType || !isPlainHeader(header, usualAlgorithms) || nameOf(header.kid) === undefined) {
      return ignore('has a header that is not accepted');
    }
    const issuer = trusted.get(nameOf(claims.iss) ?? '');
    if (issuer === undefined) return ignore('is of an issuer that is not configured');
    // Before any request: the address of the keys must not be the visa's choice.
    const address = header.jku === undefined ? issuer.jku[0] : issuer.jku.find((one) => one === header.jku);
    if (address === undefined) return ignore('names keys that are not configured for its issuer');
    try {
      const signed = await isSigned(read, await keysAt(address), usualAlgorithms);
      // The issuer may have begun to use a new key.
      if (signed === 'unknown key') return { ignored: 'is signed with an unknown key', retry: keyRefresh };
      if (!signed) return ignore('has an invalid signature');
    } catch (error) {
      if (!(error instanceof KeysUnavailable)) throw error;
      return { ignored: 'is signed with keys that cannot be fetched', retry: failureRetry };
    }
    return statementIn(claims, issuer, now().getTime() / 1000);
  };
}

/** The visa in claims whose signature is valid. `now` in seconds since 1970. */
function statementIn(claims: Members, issuer: VisaIssuerSettings, now: number): Visa | Ignored {
  const subject = nameOf(claims.sub);
  const expires = timeOf(claims.exp);
  if (subject === undefined || expires === undefined || expires <= now || !isCurrent(claims, now, tolerance)) {
    return ignore('has no subject, has expired or is not valid yet');
  }
  // An access token that carries a visa is deprecated, and could be one that was stolen elsewhere.
  if (typeof claims.scope === 'string' && claims.scope.split(' ').includes('openid'))
    return ignore('is an access token');
  const visa = claims.ga4gh_visa_v1;
  if (!isObject(visa)) return ignore('has no ga4gh_visa_v1');
  const { type, value, source, by, conditions } = visa;
  const asserted = timeOf(visa.asserted);
  if (typeof type !== 'string' || typeof value !== 'string' || typeof source !== 'string' || asserted === undefined) {
    return ignore('lacks its type, value, source or asserted');
  }
  if (by !== undefined && typeof by !== 'string') return ignore('has a `by` that is not a text');
  if (type !== 'LinkedIdentities' && value.length > longestValue) return ignore('has a value that is too long');
  if (asserted > now + tolerance) return ignore('was asserted in the future');
  const oldest = issuer.maxAgeDays === undefined ? Number.POSITIVE_INFINITY : asserted + issuer.maxAgeDays * 86_400;
  if (now >= oldest) return ignore('was asserted too long ago');
  const sources = Object.hasOwn(issuer.sources, type) ? issuer.sources[type] : undefined;
  if (!sources?.includes(source)) return ignore('is of a type or source that its issuer may not sign for');
  return {
    issuer: issuer.issuer,
    subject,
    about: { issuer: issuer.subjectsOf ?? issuer.issuer, subject },
    type,
    value,
    source,
    ...(by === undefined ? {} : { by }),
    ...(isAbsent(conditions) ? {} : { conditions }),
    expires: Math.min(expires, oldest),
  };
}

function isAbsent(conditions: unknown): boolean {
  return conditions === undefined || (Array.isArray(conditions) && conditions.length === 0);
}

function ignore(reason: string): Ignored {
  return { ignored: reason };
}
