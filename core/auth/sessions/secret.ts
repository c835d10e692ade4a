/**
 * The secret of a session, which only the person's browser has. Everything else is derived from it: the hash that finds the
 * session, the key that opens what is stored of the person, and the token that proves that a form comes from our page.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

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
