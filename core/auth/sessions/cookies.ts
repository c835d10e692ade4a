/**
 * What the browser keeps: the cookies of sign-in, the secret of a session, and a sign-in under way with the path to which it
 * returns.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Fault } from '../../fault.js';
import { seal, unsealed } from '../../seal.js';
import type { CredentialHead } from '../identify.js';
import type { Challenge } from './provider.js';

export interface Cookie {
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
 * an unprotected connection, so that nobody can plant a session of theirs.
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

export function makeSecret(): string {
  return randomBytes(bytes).toString('base64url');
}

/** Whether a text can be a secret: others need not be looked for. */
export function isSecret(text: string): boolean {
  return pattern.test(text);
}

/** The CSRF token of a session: the same for its whole life, of no use with any other, and not the way back to the secret. */
export function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('trefoil csrf', 'utf8').digest('base64url');
}

/** Compares in constant time. */
export function sameText(one: string, other: string): boolean {
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
