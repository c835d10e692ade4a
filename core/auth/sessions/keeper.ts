/**
 * Begins, finds and ends the sessions of people who are signed in, identifies the callers of requests by them, and says what
 * the browser keeps of it: the cookies, the secret of a session, and a sign-in under way. For all but reading, a request needs
 * a proof that it comes from our own page.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Fault } from '../../fault.js';
import { type CallerSource, type CredentialHead, type IdentifiedSubject, subjectWith } from '../../policy/policy.js';
import { seal, unsealed } from '../../seal.js';
import type { StorageLog } from '../../storage.js';
import { hashToken, sharedLookup } from '../access.js';
import type { ClaimedRights, Claims, GrantsFromClaims } from '../claims.js';
import { hasEnded, type Session, type SessionRepository } from '../contract.js';
import type { Holdings } from '../passport/holdings.js';
import type { PassportRights } from '../passport/visas.js';
import type { SignInSettings } from '../settings.js';
import type { Challenge, ProvidedPerson } from './provider.js';

/** Someone who is signed in, as one request sees it. */
export interface SignedIn {
  session: Session;
  /** The claims of the provider at sign-in. */
  claims: Claims;
  /** What the configuration makes of the claims now, and of visas among them. */
  rights: ClaimedRights & Partial<Pick<PassportRights, 'researcher'>>;
  /** What a request that changes data must bring besides the cookie. */
  csrfToken: string;
}

export interface Keeper {
  /** Begins a session with a secret of its own, and ends the one that the browser had. Returns the `Set-Cookie` header. */
  begin(person: ProvidedPerson, head: Pick<CredentialHead, 'headers'>): Promise<string>;
  /**
   * Who is signed in; undefined if the request brings no cookie. Throws an `unauthenticated` fault that also removes the cookie
   * if the session ended. Does not ask for a CSRF token: only for what a page shows.
   */
  current(head: Pick<CredentialHead, 'headers'>): Promise<SignedIn | undefined>;
  /** Ends the session of the request, if there is one. Returns the `Set-Cookie` header that removes the cookie. */
  end(head: Pick<CredentialHead, 'headers'>): Promise<string>;
  /** Removes what is left of sessions that ended by themselves. */
  sweep(): Promise<void>;
}

interface KeeperOptions {
  repository: SessionRepository;
  settings: Pick<SignInSettings, 'sessionHours' | 'idleMinutes'>;
  cookie: Cookie;
  grantsFromClaims: GrantsFromClaims;
  /** What the visas of a person give; visas do not count if omitted. */
  holdings?: Pick<Holdings, 'ofPassport'>;
  log: StorageLog;
  now(): Date;
}

const purpose = 'trefoil session claims';
/** Characters of all claims together, as JSON. */
const mostClaims = 256 * 1024;
/** Minutes for which visas count without being looked at again. */
const visaMinutes = 60;
/** Claims that no rule reads: they were for the sign-in alone. */
const left = new Set('aud azp exp iat nbf nonce jti sid at_hash c_hash s_hash'.split(' '));

export function createKeeper(options: KeeperOptions): Keeper {
  const { repository, settings, cookie, grantsFromClaims, holdings, log, now } = options;
  const idle = settings.idleMinutes * 60_000;
  const find = sharedLookup((hash) => repository.findByHash(hash));
  const note = useNotes(repository, Math.min(60_000, idle / 10), log);
  /** The session of each request: its route and the page that it shows both look it up. */
  const asked = new WeakMap<CredentialHead['headers'], Promise<SignedIn | undefined>>();

  async function lookUp(head: Pick<CredentialHead, 'headers'>): Promise<SignedIn | undefined> {
    const secret = cookie.read(head);
    if (secret === undefined || secret === '') return undefined;
    const time = now();
    const hash = isSecret(secret) ? hashToken(secret) : undefined;
    const session = hash === undefined ? undefined : await find(hash);
    // Compared again, in constant time: the collation of the storage may ignore case.
    const isOurs = session !== undefined && sameText(session.hash, hash ?? '') && !hasEnded(session, idle, time);
    const claims = isOurs ? unsealed(session.sealed, { secret, purpose }) : undefined;
    if (!isOurs || claims === undefined) {
      throw new Fault('unauthenticated', 'Your session has ended; sign in again', {
        headers: { 'Set-Cookie': cookie.clear(), 'WWW-Authenticate': 'Cookie realm="trefoil"' },
      });
    }
    note(session, time);
    const told = JSON.parse(claims) as Claims;
    return { session, claims: told, rights: await rightsOf(session, told), csrfToken: csrfTokenOf(secret) };
  }

  async function rightsOf({ issuer, subject, hash }: Session, claims: Claims): Promise<SignedIn['rights']> {
    const claimed = grantsFromClaims(claims, issuer);
    const { ga4gh_passport_v1: visas } = claims;
    if (holdings === undefined || !Array.isArray(visas) || visas.length === 0) return claimed;
    const { grants, researcher } = await holdings.ofPassport(
      { settings: { issuer, visaMinutes } },
      hash,
      subject,
      visas,
    );
    return { ...claimed, grants: [...claimed.grants, ...grants], researcher };
  }

  async function forget(head: Pick<CredentialHead, 'headers'>): Promise<void> {
    const secret = cookie.read(head);
    if (secret === undefined || !isSecret(secret)) return;
    const session = await repository.findByHash(hashToken(secret));
    if (session !== undefined) await repository.remove(session.id);
    // For the rest of this request the caller is anonymous.
    asked.set(head.headers, Promise.resolve(undefined));
  }

  return {
    async begin({ issuer, subject, claims }, head) {
      const created = now();
      const kept = JSON.stringify(Object.fromEntries(Object.entries(claims).filter(([name]) => !left.has(name))));
      if (kept.length > mostClaims) {
        throw new Fault('invalid', `The identity provider told more than ${mostClaims} characters about you`);
      }
      const secret = makeSecret();
      await forget(head);
      const name = nameIn(claims);
      await repository.add({
        id: randomBytes(6).toString('hex'),
        hash: hashToken(secret),
        issuer,
        subject,
        ...(name === undefined ? {} : { name }),
        created,
        lastSeen: created,
        expires: new Date(created.getTime() + settings.sessionHours * 3_600_000),
        sealed: seal(kept, { secret, purpose }),
      });
      return cookie.set(secret);
    },

    current(head) {
      const known = asked.get(head.headers);
      if (known !== undefined) return known;
      const answer = lookUp(head);
      asked.set(head.headers, answer);
      return answer;
    },

    async end(head) {
      await forget(head);
      return cookie.clear();
    },

    async sweep() {
      const time = now();
      await repository.sweep(time, new Date(time.getTime() - idle));
    },
  };
}

/** The first of the claims for names that has one: up to 200 characters, without control characters. */
function nameIn(claims: Claims): string | undefined {
  const texts = [claims.name, claims.preferred_username, claims.email].filter((text) => typeof text === 'string');
  const names = texts.map((text) => text.replace(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ').trim());
  return names.find((text) => text !== '')?.slice(0, 200);
}

/** Records uses of sessions, not more often than `every` milliseconds for each, without delaying the request. */
function useNotes(
  repository: SessionRepository,
  every: number,
  log: StorageLog,
): (session: Session, time: Date) => void {
  const underWay = new Set<string>();
  return ({ id, lastSeen }, time) => {
    if (time.getTime() - lastSeen.getTime() < every || underWay.has(id)) return;
    underWay.add(id);
    repository
      .touch(id, time)
      .catch((error: unknown) => {
        log.warn({ reason: error instanceof Error ? error.name : 'unknown' }, 'use of a session not recorded');
      })
      .finally(() => underWay.delete(id));
  };
}

// Sessions as a source of callers.

/** The header, and the field of posted forms, that carries the CSRF token. */
const csrfHeader = 'x-csrf-token';
export const csrfField = 'csrfToken';

export interface SessionSource {
  caller: CallerSource;
  /** Whether the caller is known only once a posted form was read, since its CSRF token is a field. */
  waitsForForm(head: CredentialHead): boolean;
}

const safe = new Set(['GET', 'HEAD', 'OPTIONS']);
const formTypes = ['application/x-www-form-urlencoded', 'multipart/form-data'];

/** `origin` is that of the public address. */
export function sessionSource(keeper: Keeper, { cookie, origin }: { cookie: Cookie; origin: string }): SessionSource {
  return {
    async caller(head) {
      const signedIn = await keeper.current(head);
      if (signedIn === undefined) return undefined;
      if (!safe.has(head.method)) mustComeFromUs(head, signedIn, origin);
      return subjectOf(signedIn);
    },

    waitsForForm: (head) =>
      !safe.has(head.method) &&
      head.headers.authorization === undefined &&
      head.headers['x-auth-token'] === undefined &&
      head.headers[csrfHeader] === undefined &&
      head.csrf === undefined &&
      cookie.read(head) !== undefined &&
      formTypes.includes((head.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''),
  };
}

function subjectOf({ session, rights: { tenants, grants, researcher } }: SignedIn): IdentifiedSubject {
  const { subject: owner, issuer, name } = session;
  const shown = name === undefined ? {} : { name };
  return subjectWith({ owner, issuer, tenants, ...shown, ...(researcher && { researcher }) }, grants);
}

/**
 * Browsers send cookies with requests of other sites' pages too. So such a request needs the session's token, which only our
 * pages know, and must not say that it comes from elsewhere.
 */
function mustComeFromUs(head: CredentialHead, { csrfToken }: SignedIn, origin: string): void {
  const { 'sec-fetch-site': site, origin: from } = head.headers;
  const isForeign = site === undefined ? from !== undefined && from !== origin : site !== 'same-origin';
  if (isForeign) throw new Fault('forbidden', 'This request comes from a page of another site');
  const sent = head.headers[csrfHeader] ?? head.csrf;
  if (typeof sent !== 'string' || !sameText(sent, csrfToken)) {
    throw new Fault(
      'forbidden',
      `With a session, a request that is not GET needs the CSRF token of /-/me in the header X-CSRF-Token or in the form field ${csrfField}; reload the page and try again`,
    );
  }
}

// What the browser keeps: the cookies of sign-in, the secret of a session, and a sign-in under way with the path to which it
// returns.

interface Cookie {
  name: string;
  /** The value in a request; undefined if there is none, or if there are several and one must be forged. */
  read(head: Pick<CredentialHead, 'headers'>): string | undefined;
  /** A `Set-Cookie` header. It lasts until the browser is closed, or for that many seconds. */
  set(value: string, seconds?: number): string;
  /** The header that removes it. */
  clear(): string;
}

/**
 * A cookie with this name. With TLS the prefix `__Host-` makes browsers refuse one from another host of the domain or from
 * an unprotected connection, so that no other host can plant its session.
 */
export function cookieNamed(plain: string, { tls }: { tls: boolean }): Cookie {
  const name = tls ? `__Host-${plain}` : plain;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${tls ? '; Secure' : ''}`;
  return {
    name,
    read({ headers }) {
      const found = (headers.cookie ?? '').split(';').flatMap((pair) => {
        const [key = '', ...value] = pair.split('=');
        return key.trim() === name ? [value.join('=').trim()] : [];
      });
      return found.length === 1 ? found[0] : undefined;
    },
    set: (value, seconds) => `${name}=${value}; ${attributes}${seconds === undefined ? '' : `; Max-Age=${seconds}`}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
  };
}

// The secret of a session, which only the person's browser has. Everything else is derived from it: the hash that finds the
// session, the key that opens what is stored of the person, and the token that proves that a form comes from our page.

const bytes = 32;
const pattern = /^[\w-]{43}$/;

function makeSecret(): string {
  return randomBytes(bytes).toString('base64url');
}

/** Whether a text can be a secret: others need not be looked for. */
function isSecret(text: string): boolean {
  return pattern.test(text);
}

/** The CSRF token of a session: the same for its whole life, of no use with any other, and not the way back to the secret. */
function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('trefoil csrf', 'utf8').digest('base64url');
}

/** Compares in constant time. */
function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

// Where a person goes after signing in: a path of this server, never an address of another.

/** Characters at most: it travels in an address. */
const longest = 1000;

/** Whether browsers take a text for a path, with or without a query, of the server that sends it. */
export function isOwnPath(text: string): boolean {
  // Browsers read a backslash as a slash, and leave out tabs and line ends.
  if (text.length > longest || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return false;
  const base = 'https://own.invalid';
  return URL.canParse(text, base) && new URL(text, base).origin === base;
}

// Sign-ins under way. What one must remember travels in its `state`, encrypted with the client's secret and bound to a
// short-lived cookie of the browser that began it: several tabs can sign in at the same time, several servers share the
// work, and nothing is stored.

/** A sign-in that the person began in this browser. */
interface SignInAttempt extends Challenge {
  /** Path and query of this server to which the browser goes at the end. */
  to: string;
}

export interface PendingSignIns {
  /** Returns the `state`, and the `Set-Cookie` header that must accompany it. */
  begin(begun: SignInAttempt, head: Pick<CredentialHead, 'headers'>): { state: string; cookie: string };
  /** Throws an `invalid` fault if the state is not one of this browser's, or too old. */
  resume(state: string | undefined, head: Pick<CredentialHead, 'headers'>): SignInAttempt;
}

/** Seconds that a person has to sign in. */
const lifetime = 600;

export function createPending(options: { clientSecret: string; cookie: Cookie; now(): Date }): PendingSignIns {
  const { clientSecret, cookie, now } = options;
  const sealing = (browser: string) => ({ secret: clientSecret, purpose: 'trefoil sign-in under way', about: browser });
  return {
    begin(begun, head) {
      const known = cookie.read(head);
      const browser = known !== undefined && isSecret(known) ? known : makeSecret();
      const until = now().getTime() + lifetime * 1000;
      const state = seal(JSON.stringify({ ...begun, until }), sealing(browser));
      return { state, cookie: cookie.set(browser, lifetime) };
    },

    resume(state, head) {
      const browser = cookie.read(head);
      const text = state === undefined || browser === undefined ? undefined : unsealed(state, sealing(browser));
      const { until, ...begun } =
        text === undefined ? { until: 0 } : (JSON.parse(text) as SignInAttempt & { until: number });
      if (until <= now().getTime()) {
        throw new Fault(
          'invalid',
          'This sign-in was not begun in this browser, or too long ago, or the browser accepts no cookies; begin it again',
        );
      }
      return begun as SignInAttempt;
    },
  };
}
