/** The tokens we send to other nodes: stored encrypted, or read from a file each time they are used. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Fault } from '../../../core/plugin.js';
import type { KeptToken } from './contract.js';

const algorithm = 'aes-256-gcm';
const [nonceBytes, tagBytes] = [12, 16];

/** A token is sent as a header, of at most 255 characters (mme-apis, join-protocol.md). */
export function checkedToken(token: string): string {
  if (!/^[\x21-\x7e]{1,255}$/.test(token)) {
    throw new Fault('invalid', 'A token must have 1 to 255 printable ASCII characters and no blanks');
  }
  return token;
}

/** Bound to the node, so that it cannot be decrypted in another node's row. Throws `invalid` if there is no key. */
export function seal(token: string, node: string, key: string | undefined): KeptToken {
  if (key === undefined) {
    throw new Fault(
      'invalid',
      'Tokens of nodes are stored encrypted, and no key is configured: set MATCHMAKER_KEY (exchange.key), or use --token-file',
    );
  }
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, derived(key), nonce).setAAD(Buffer.from(node));
  const text = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()]);
  return { sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64') };
}

/** The token itself. Throws `unavailable`, with a sentence for operators, if it cannot be read. */
export async function unseal(kept: KeptToken, node: string, key: string | undefined): Promise<string> {
  if ('file' in kept) {
    try {
      return checkedToken((await readFile(kept.file, 'utf8')).trim());
    } catch (cause) {
      throw new Fault('unavailable', 'the file of its token cannot be read, or does not hold a token', { cause });
    }
  }
  if (key === undefined) throw new Fault('unavailable', 'its token is encrypted, and no key is configured');
  try {
    const bytes = Buffer.from(kept.sealed, 'base64');
    const decipher = createDecipheriv(algorithm, derived(key), bytes.subarray(0, nonceBytes))
      .setAAD(Buffer.from(node))
      .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new Fault('unavailable', 'its token was encrypted with another key', { cause });
  }
}

function derived(key: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', 'trefoil matchmaker nodes', 32));
}
