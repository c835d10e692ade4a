/** Fetches the visas of an access token from its broker: by userinfo, or by exchanging it for a passport. */
import { Fault } from '../../fault.js';
import { type PeerResponse, send } from '../../outgoing/request.js';
import { jsonObject, type Members, readCompact } from '../issuers/compact.js';
import { type Provider, unavailable } from '../issuers/provider.js';
import { isCurrent, isPlainHeader, isSigned, usualAlgorithms } from '../issuers/signed.js';
import { passportClaims } from './passport.js';

/** What became of the request. */
export type Fetched =
  | { visas: readonly unknown[] }
  /** The broker no longer accepts the token. */
  | { refused: true }
  /** The response is not one that may be believed: words for the log. */
  | { ignored: string };

/** Passports of people with many grants are larger than a header may be. */
const maxBytes = 2 * 1024 * 1024;

/** Throws `unavailable` if the broker cannot be asked now. `now` in seconds since 1970. */
export async function fetchVisas(provider: Provider, token: string, subject: string, now: number): Promise<Fetched> {
  return provider.settings.visas === 'exchange'
    ? exchanged(provider, token, subject, now)
    : fromUserinfo(provider, token, subject, now);
}

async function fromUserinfo(provider: Provider, token: string, subject: string, now: number): Promise<Fetched> {
  const { url, reach } = await provider.endpoint('userinfo');
  const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json, application/jwt' };
  const timeoutMs = provider.settings.timeout * 1000;
  const response = await asked(() => send({ method: 'GET', url, reach, headers, timeoutMs, maxBytes }));
  if (response.status === 401) return { refused: true };
  if (response.status !== 200) return { ignored: `the userinfo has status ${response.status}` };
  const userinfo =
    response.type === 'application/jwt'
      ? await signedUserinfo(provider, response.body, now)
      : jsonObject(response.body);
  if (userinfo === undefined) return { ignored: 'the userinfo is not valid' };
  // Otherwise the broker could be made to tell of someone else (OpenID Connect Core, section 5.3.2).
  if (userinfo.sub !== subject) return { ignored: 'the userinfo is about another subject' };
  return visasIn(userinfo.ga4gh_passport_v1 ?? []);
}

/** The claims of a userinfo that is a signed token; undefined unless it is the issuer's, for this server. */
async function signedUserinfo(provider: Provider, token: string, now: number): Promise<Members | undefined> {
  const { issuer, algorithms, clientId, audience, clockTolerance } = provider.settings;
  const read = readCompact(token.trim(), maxBytes);
  if (read === undefined || !isPlainHeader(read.header, algorithms)) return undefined;
  const { iss, aud, exp, iat = now } = read.claims;
  const own = [audience, clientId ?? []].flat();
  if (iss !== issuer || ![aud].flat().some((one) => own.includes(one as string))) return undefined;
  if (exp !== undefined && !isCurrent({ ...read.claims, iat }, now, clockTolerance)) return undefined;
  return (await isSigned(read, await provider.keys(), algorithms)) === true ? read.claims : undefined;
}

async function exchanged(provider: Provider, token: string, subject: string, now: number): Promise<Fetched> {
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
  const response = await asked(() =>
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
async function asked(ask: () => Promise<PeerResponse>): Promise<PeerResponse> {
  let response: PeerResponse;
  try {
    response = await ask();
  } catch (cause) {
    if (cause instanceof Fault) throw unavailable(cause);
    throw cause;
  }
  if (response.status === 429 || response.status >= 500) throw unavailable();
  return response;
}

function visasIn(list: unknown): Fetched {
  return Array.isArray(list) ? { visas: list } : { ignored: 'the list of visas is not a list' };
}
