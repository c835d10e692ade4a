/** Text that is stored or handed out encrypted and authenticated (AES-256-GCM), under a key that is derived from a secret. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const [nonceBytes, tagBytes] = [12, 16];

export interface SealOptions {
  secret: string;
  /** Keys of different purposes are different. */
  purpose: string;
  /** What the text belongs to, if to anything: it cannot be decrypted as that of anything else. */
  about?: string;
}

/** In the alphabet of addresses (base64url). */
export function seal(text: string, { secret, purpose, about = '' }: SealOptions): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, derived(secret, purpose), nonce).setAAD(Buffer.from(about));
  const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), content]).toString('base64url');
}

/** Throws an error of the library if the text was encrypted otherwise, or is damaged. */
export function unseal(sealed: string, { secret, purpose, about = '' }: SealOptions): string {
  const bytes = Buffer.from(sealed, 'base64url');
  // Of a tag cut short, parts would be guessed in fewer trials.
  const full = { authTagLength: tagBytes };
  const decipher = createDecipheriv(algorithm, derived(secret, purpose), bytes.subarray(0, nonceBytes), full)
    .setAAD(Buffer.from(about))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
}

/**
 * The same for what a client brings: undefined in place of an error. Only the spelling of `seal` is accepted, since a decoder drops
 * what does not fill a byte.
 */
export function unsealed(sealed: string, options: SealOptions): string | undefined {
  if (Buffer.from(sealed, 'base64url').toString('base64url') !== sealed) return undefined;
  try {
    return unseal(sealed, options);
  } catch {
    return undefined; // the only way in which OpenSSL reports a tag that does not fit
  }
}

function derived(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
}
