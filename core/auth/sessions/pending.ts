/**
 * Sign-ins under way. What one must remember travels in its `state`, encrypted with the client's secret and bound to a
 * short-lived cookie of the browser that began it: several tabs can sign in at the same time, several servers share the
 * work, and nothing is stored.
 */
import { Fault } from '../../fault.js';
import { seal, unsealed } from '../../seal.js';
import type { CredentialHead } from '../identify.js';
import type { Cookie } from './cookies.js';
import type { Challenge } from './provider.js';
import { isSecret, makeSecret } from './secret.js';

/** A sign-in that the person began in this browser. */
export interface Begun extends Challenge {
  /** Path and query of this server to which the browser goes at the end. */
  to: string;
}

export interface Pending {
  /** Returns the `state`, and the `Set-Cookie` header that must accompany it. */
  begin(begun: Begun, head: Pick<CredentialHead, 'headers'>): { state: string; cookie: string };
  /** Throws an `invalid` fault if the state is not one of this browser's, or too old. */
  resume(state: string | undefined, head: Pick<CredentialHead, 'headers'>): Begun;
}

/** Seconds that a person has to sign in. */
const lifetime = 600;

export function createPending(options: { clientSecret: string; cookie: Cookie; now(): Date }): Pending {
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
      const { until, ...begun } = text === undefined ? { until: 0 } : (JSON.parse(text) as Begun & { until: number });
      if (until <= now().getTime()) {
        throw new Fault(
          'invalid',
          'This sign-in was not begun in this browser, or too long ago, or the browser accepts no cookies; begin it again',
        );
      }
      return begun as Begun;
    },
  };
}
