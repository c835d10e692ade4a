/**
 * What the visas of tokens grant, kept until it must be found out again. Visas are in a passport, or are fetched from the
 * token's broker: by userinfo, or by exchanging the token for a passport.
 */
import { createHash } from 'node:crypto';
import { Fault, isFault } from '../../fault.js';
import { type PeerResponse, send } from '../../outgoing/request.js';
import type { StorageLog } from '../../storage.js';
import { failureRetry, type Issuer, unavailableProvider } from '../issuers/provider.js';
import type { IssuerSettings } from '../issuers/settings.js';
import {
  type Compact,
  isCurrent,
  isPlainHeader,
  isSigned,
  type JsonMembers,
  jsonObject,
  nameInClaim,
  readCompact,
  usualAlgorithms,
} from '../issuers/signed-tokens.js';
import {
  noRights,
  type PassportRights,
  type PassportRules,
  passportRights,
  type Visa,
  type VisaChecker,
} from './visas.js';

/** The rights that visas give; undefined if the broker no longer accepts the token. */
export type VisaRights = PassportRights | undefined;

export interface Holdings {
  /** Of an access token, by its broker. Throws `unavailable` if that cannot be asked now. */
  ofToken(provider: Issuer, token: string, subject: string): Promise<VisaRights>;
  /** Of a passport that its holder sent, once it was verified. */
  ofPassport(
    provider: PassportSource,
    token: string,
    subject: string,
    visas: readonly unknown[],
  ): Promise<PassportRights>;
}

/** Who vouches that visas belong to a subject, and for how long they count without being looked at again. */
export interface PassportSource {
  settings: Pick<Issuer['settings'], 'issuer' | 'visaMinutes'>;
}

export interface HoldingsOptions {
  check: VisaChecker;
  rules: PassportRules;
  log: Pick<StorageLog, 'info' | 'warn'>;
  now(): Date;
}

/** Visas of one passport that are looked at; a person with more has lost the overview, or is an attack. */
const mostVisas = 50;
/** Tokens whose rights are kept; the ones that were asked for longest ago are forgotten. */
const mostTokens = 10_000;

interface HoldingEntry {
  held: Promise<VisaRights>;
  /** Seconds since 1970. */
  until: number;
}

export function createHoldings({ check, rules, log, now }: HoldingsOptions): Holdings {
  const entries = new Map<string, HoldingEntry>();
  const seconds = () => now().getTime() / 1000;

  /** By a digest, so that no token is kept. */
  function remembered(token: string, find: (entry: { until: number }) => Promise<VisaRights>): Promise<VisaRights> {
    const key = createHash('sha256').update(token).digest('base64url');
    const known = entries.get(key);
    entries.delete(key);
    if (known !== undefined && seconds() < known.until) {
      entries.set(key, known);
      return known.held;
    }
    // While it is being found out, others wait for the same answer.
    const entry: HoldingEntry = { held: Promise.resolve(undefined), until: Number.POSITIVE_INFINITY };
    entry.held = find(entry).catch((error: unknown) => {
      entry.until = seconds() + failureRetry;
      throw error;
    });
    entries.set(key, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= mostTokens) break;
      entries.delete(oldest);
    }
    return entry.held;
  }

  async function evaluated(
    { settings: { issuer, visaMinutes } }: PassportSource,
    subject: string,
    visas: readonly unknown[],
    entry: { until: number },
  ): Promise<PassportRights> {
    const accepted: Visa[] = [];
    let until = seconds() + visaMinutes * 60;
    if (visas.length > mostVisas) log.warn({ issuer, visas: visas.length }, `only the first ${mostVisas} visas count`);
    for (const one of visas.slice(0, mostVisas)) {
      const visa = await check(one);
      if (!('ignored' in visa)) {
        accepted.push(visa);
        continue;
      }
      log.info({ issuer, reason: visa.ignored }, 'a visa was ignored');
      if (visa.retry !== undefined) until = Math.min(until, seconds() + visa.retry);
    }
    const rights = passportRights({ issuer, subject }, accepted, rules);
    entry.until = Math.min(until, rights.expires);
    return rights;
  }

  return {
    ofToken: (provider, token, subject) =>
      remembered(token, async (entry) => {
        const { issuer } = provider.settings;
        const fetched = await fetchVisas(provider, token, subject, seconds()).catch((error: unknown) => {
          const reason = isFault(error) && isFault(error.cause) ? error.cause.message : 'an unexpected error';
          log.warn({ issuer, reason }, 'the visas of a token could not be fetched');
          throw error;
        });
        if ('visas' in fetched) return evaluated(provider, subject, fetched.visas, entry);
        entry.until = seconds() + failureRetry;
        if ('refused' in fetched) return undefined;
        log.warn({ issuer, reason: fetched.ignored }, 'the visas of a token are ignored');
        return noRights;
      }),

    async ofPassport(provider, token, subject, visas) {
      return (await remembered(token, (entry) => evaluated(provider, subject, visas, entry))) ?? noRights;
    },
  };
}

// Fetches the visas of an access token from its broker: by userinfo, or by exchanging it for a passport.

/** What became of the request. */
type VisaResponse =
  | { visas: readonly unknown[] }
  /** The broker no longer accepts the token. */
  | { refused: true }
  /** The response is not one that may be believed: words for the log. */
  | { ignored: string };

/** Passports of people with many grants are larger than a header may be. */
const maxBytes = 2 * 1024 * 1024;

/** Throws `unavailable` if the broker cannot be asked now. `now` in seconds since 1970. */
async function fetchVisas(provider: Issuer, token: string, subject: string, now: number): Promise<VisaResponse> {
  return provider.settings.visas === 'exchange'
    ? exchanged(provider, token, subject, now)
    : fromUserinfo(provider, token, subject, now);
}

async function fromUserinfo(provider: Issuer, token: string, subject: string, now: number): Promise<VisaResponse> {
  const { url, reach } = await provider.endpoint('userinfo');
  const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json, application/jwt' };
  const timeoutMs = provider.settings.timeout * 1000;
  const response = await brokerAnswer(() => send({ method: 'GET', url, reach, headers, timeoutMs, maxBytes }));
  if (response.status === 401) return { refused: true };
  if (response.status !== 200) return { ignored: `the userinfo has status ${response.status}` };
  const userinfo =
    response.type === 'application/jwt'
      ? await signedUserinfo(provider, response.body, now)
      : jsonObject(response.body);
  if (userinfo === undefined) return { ignored: 'the userinfo is not valid' };
  // Otherwise the broker could be made to answer about another person (OpenID Connect Core, section 5.3.2).
  if (userinfo.sub !== subject) return { ignored: 'the userinfo is about another subject' };
  return visasIn(userinfo.ga4gh_passport_v1 ?? []);
}

/** The claims of a userinfo that is a signed token; undefined unless it is the issuer's, for this server. */
async function signedUserinfo(provider: Issuer, token: string, now: number): Promise<JsonMembers | undefined> {
  const { issuer, algorithms, clientId, audience, clockTolerance } = provider.settings;
  const read = readCompact(token.trim(), maxBytes);
  if (read === undefined || !isPlainHeader(read.header, algorithms)) return undefined;
  const { iss, aud, exp, iat = now } = read.claims;
  const own = [audience, clientId ?? []].flat();
  if (iss !== issuer || ![aud].flat().some((one) => own.includes(one as string))) return undefined;
  if (exp !== undefined && !isCurrent({ ...read.claims, iat }, now, clockTolerance)) return undefined;
  return (await isSigned(read, await provider.keys(), algorithms)) === true ? read.claims : undefined;
}

async function exchanged(provider: Issuer, token: string, subject: string, now: number): Promise<VisaResponse> {
  const { clientId = '', clientSecret = '', timeout } = provider.settings;
  const { url, reach } = await provider.endpoint('token');
  const client = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64');
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: 'urn:ga4gh:params:oauth:token-type:passport',
    subject_token: token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  }).toString();
  const headers = {
    Authorization: `Basic ${client}`,
    Accept: 'application/json',
    'Content-Type': 'application/x-www-form-urlencoded',
  };
  const response = await brokerAnswer(() =>
    send({ method: 'POST', url, reach, headers, body, timeoutMs: timeout * 1000, maxBytes }),
  );
  if (response.status !== 200) return { ignored: `the token exchange has status ${response.status}` };
  const passport = jsonObject(response.body)?.access_token;
  const read = typeof passport === 'string' ? readCompact(passport, maxBytes) : undefined;
  const claims = read && passportClaims(read, provider.settings, now);
  if (read === undefined || claims === undefined) return { ignored: 'the exchanged token is not a passport' };
  if (claims.sub !== subject) return { ignored: 'the passport is about another subject' };
  const isValid = await isSigned(read, await provider.keys(), usualAlgorithms);
  return isValid === true ? visasIn(claims.ga4gh_passport_v1) : { ignored: 'the passport has an invalid signature' };
}

/** A response that says something about the token. Throws `unavailable` for failures that pass. */
async function brokerAnswer(ask: () => Promise<PeerResponse>): Promise<PeerResponse> {
  let response: PeerResponse;
  try {
    response = await ask();
  } catch (cause) {
    if (cause instanceof Fault) throw unavailableProvider(cause);
    throw cause;
  }
  if (response.status === 429 || response.status >= 500) throw unavailableProvider();
  return response;
}

function visasIn(list: unknown): VisaResponse {
  return Array.isArray(list) ? { visas: list } : { ignored: 'the list of visas is not a list' };
}

// Passports: tokens of a broker that contain a person's visas.

const types: readonly string[] = ['vnd.ga4gh.passport+jwt', 'application/vnd.ga4gh.passport+jwt'];

/** Whether a token says that it is a passport. */
export function isPassport({ header }: Pick<Compact, 'header'>): boolean {
  return typeof header.typ === 'string' && types.includes(header.typ.toLowerCase());
}

/**
 * The claims of a passport of this issuer that is valid now; undefined otherwise. Its signature is not checked here. An
 * audience is optional (AAI profile 1.2), but if there is one it must be ours. `now` in seconds since 1970.
 */
export function passportClaims(passport: Compact, settings: IssuerSettings, now: number): JsonMembers | undefined {
  const { header, claims } = passport;
  const { issuer, audience, clientId, clockTolerance } = settings;
  const own = [audience, clientId ?? []].flat();
  const isOurs = claims.aud === undefined || [claims.aud].flat().some((one) => own.includes(one as string));
  const isValid =
    isPassport(passport) &&
    isPlainHeader(header, usualAlgorithms) &&
    claims.iss === issuer &&
    nameInClaim(claims.sub) !== undefined &&
    isOurs &&
    Array.isArray(claims.ga4gh_passport_v1) &&
    isCurrent(claims, now, clockTolerance);
  return isValid ? claims : undefined;
}
