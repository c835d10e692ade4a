/** The tokens we send to other nodes: stored encrypted, or read from a file each time they are used. */
import { readFile } from 'node:fs/promises';
import { Fault, seal as sealText, unseal as unsealText } from '../../../core/plugin.js';
import type { KeptToken } from './contract.js';

const purpose = 'trefoil matchmaker nodes';

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
  return { sealed: sealText(token, { secret: key, purpose, about: node }) };
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
    return unsealText(kept.sealed, { secret: key, purpose, about: node });
  } catch (cause) {
    throw new Fault('unavailable', 'its token was encrypted with another key', { cause });
  }
}
