/** The callers whom the configuration's identity providers vouch for. */
import { Fault } from '../fault.js';
import {
  bearerIn,
  type CallerSource,
  type CallerSources,
  type Principal,
  type Right,
  subjectWith,
} from '../policy/policy.js';
import type { StorageLog } from '../storage.js';
import { grantsFromClaims } from './claims.js';
import { createIssuer, type Issuer, unavailableProvider } from './issuers/provider.js';
import {
  accessTokenIn,
  type Compact,
  isSigned,
  KeysUnavailable,
  longestInHead,
  readCompact,
  usualAlgorithms,
} from './issuers/signed-tokens.js';
import { createHoldings, isPassport, passportClaims } from './passport/holdings.js';
import { noRights, type PassportRights, visaChecker } from './passport/visas.js';
import type { AuthSettings } from './settings.js';

export interface CallersOptions {
  auth: AuthSettings;
  /** The rights of the core and of the enabled plugins. */
  rights: readonly Right[];
  log: StorageLog;
  now(): Date;
}

export function callerSources(options: CallersOptions): CallerSources {
  return options.auth.issuers.length === 0 ? {} : { bearer: bearerSource(options) };
}

/** Access tokens and passports of the configured issuers, in `Authorization: Bearer`. */
function bearerSource({ auth, rights, log, now }: CallersOptions): CallerSource {
  const providers = new Map(auth.issuers.map((settings) => [settings.issuer, createIssuer({ settings, log, now })]));
  const holdings = createHoldings({
    check: visaChecker({ issuers: auth.visaIssuers, log, now }),
    rules: { grants: auth.visaGrants, researchers: auth.researchers },
    log,
    now,
  });
  const claimed = grantsFromClaims(auth, rights);

  async function holderOfPassport(provider: Issuer, read: Compact): Promise<Principal> {
    const { settings } = provider;
    const claims = passportClaims(read, settings, now().getTime() / 1000);
    const { sub: subject, aud, ga4gh_passport_v1: visas } = claims ?? {};
    if (typeof subject !== 'string' || !Array.isArray(visas)) throw refusal();
    if (aud === undefined && settings.requireAudience) throw refusal();
    await mustBeSigned(provider, read, usualAlgorithms);
    return person(provider, subject, await holdings.ofPassport(provider, read.token, subject, visas));
  }

  async function holderOfToken(provider: Issuer, read: Compact): Promise<Principal> {
    const { settings } = provider;
    const token = accessTokenIn(read, settings, now().getTime() / 1000);
    if (token === undefined) throw refusal();
    const { subject, hasPassportScope, isForUs } = token;
    await mustBeSigned(provider, read, settings.algorithms);
    const fetches = hasPassportScope && settings.visas !== 'none';
    const held = fetches ? await holdings.ofToken(provider, read.token, subject) : noRights;
    if (held === undefined) throw refusal();
    return person(provider, subject, held, isForUs ? claimed(read.claims, settings.issuer) : undefined);
  }

  return async (head) => {
    const token = bearerIn(head);
    const read = token === undefined ? undefined : readCompact(token, longestInHead);
    const provider = typeof read?.claims.iss === 'string' ? providers.get(read.claims.iss) : undefined;
    if (read === undefined || provider === undefined) return undefined;
    return isPassport(read) ? holderOfPassport(provider, read) : holderOfToken(provider, read);
  };
}

function person(
  { settings: { issuer } }: Issuer,
  owner: string,
  { grants, researcher }: PassportRights,
  claimed: ReturnType<ReturnType<typeof grantsFromClaims>> = { tenants: [], grants: [] },
): Principal {
  const { tenants } = claimed;
  const who = { owner, issuer, ...(researcher && { researcher }), ...(tenants.length > 0 && { tenants }) };
  return subjectWith(who, [...claimed.grants, ...grants]);
}

async function mustBeSigned(provider: Issuer, read: Compact, algorithms: readonly string[]): Promise<void> {
  try {
    if ((await isSigned(read, await provider.keys(), algorithms)) === true) return;
  } catch (error) {
    if (error instanceof KeysUnavailable) throw unavailableProvider(error);
    throw error;
  }
  throw refusal();
}

/** One message for all: to name the failed check would help only those who forge tokens. */
function refusal(): Fault {
  return new Fault('unauthenticated', 'The access token is not valid', {
    headers: { 'WWW-Authenticate': 'Bearer realm="trefoil", error="invalid_token"' },
  });
}
