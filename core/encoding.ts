/** Text from outside is UTF-8: of another encoding, different names would become equal, as their bytes become U+FFFD. */
import { isUtf8 } from 'node:buffer';
import { Fault } from './fault.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text, without a byte order mark; undefined if the bytes are not UTF-8. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The text of a body, or of a part of it, that was read with a character for each byte. */
export function decodedBody(binary: string): string {
  const text = utf8Text(Buffer.from(binary, 'latin1'));
  if (text === undefined) throw otherEncoding('body');
  return text;
}

/** Whether the text of a query or form is UTF-8 once it is percent-decoded. */
export function decodesToUtf8(text: string): boolean {
  if (!text.includes('%')) return true;
  const bytes = Buffer.from(text).toString('latin1');
  const decode = (_: string, code: string): string => String.fromCharCode(Number.parseInt(code, 16));
  return isUtf8(Buffer.from(bytes.replaceAll(/%([\da-f]{2})/gi, decode), 'latin1'));
}

/**
 * Whether all bytes of a text were UTF-8. Where others are read as U+FFFD, as in arguments of commands, names that differ only
 * in such bytes would become one.
 */
export function isIntact(text: string): boolean {
  return !text.includes('\uFFFD');
}

export function otherEncoding(what: 'body' | 'query'): Fault {
  return new Fault('invalid', `The ${what} must be encoded in UTF-8`);
}
