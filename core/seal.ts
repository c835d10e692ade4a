/** Text that is stored encrypted (AES-256-GCM), under a key that is derived from a secret. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const [nonceBytes, tagBytes] = [12, 16];

export interface SealOptions {
  secret: string;
  /** Keys of different purposes are different. */
  purpose: string;
  /** What the text belongs to: it cannot be decrypted as that of anything else. */
  about: string;
}

/** Base64. */
export function seal(text: string, { secret, purpose, about }: SealOptions): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, derived(secret, purpose), nonce).setAAD(Buffer.from(about));
  const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), content]).toString('base64');
}

/** Throws an error of the library if the text was encrypted otherwise, or is damaged. */
export function unseal(sealed: string, { secret, purpose, about }: SealOptions): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(algorithm, derived(secret, purpose), bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(about))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
}

function derived(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
}
