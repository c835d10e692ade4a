/**
 * The secret of a session, which only the person's browser has. Everything else is derived from it: the hash that finds the
 * session, the key that opens what is stored of the person, and the token that proves that a form comes from our page.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

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

/** Encrypts and authenticates a text (AES-256-GCM) with a key made of the secret for this purpose alone. */
export function seal(text: string, secret: string, purpose: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret, purpose), nonce);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Returns the text; undefined if it was sealed otherwise, or changed since. */
export function unseal(sealed: string, secret: string, purpose: string): string | undefined {
  const data = Buffer.from(sealed, 'base64url');
  // One text only: a decoder drops what does not fill a byte.
  if (data.length < 28 || data.toString('base64url') !== sealed) return undefined;
  const cipher = createDecipheriv('aes-256-gcm', keyOf(secret, purpose), data.subarray(0, 12));
  cipher.setAuthTag(data.subarray(12, 28));
  try {
    return Buffer.concat([cipher.update(data.subarray(28)), cipher.final()]).toString('utf8');
  } catch {
    return undefined; // the only way in which OpenSSL reports a tag that does not fit
  }
}

function keyOf(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `trefoil ${purpose}`, 32));
}
