/** Text of requests is UTF-8: of another encoding, different names would become equal, as their bytes become U+FFFD. */
import { isUtf8 } from 'node:buffer';
import { Fault } from './fault.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a body, or of a part of it, that was read with a character for each byte. */
export function decodedBody(binary: string): string {
  try {
    return utf8.decode(Buffer.from(binary, 'latin1'));
  } catch {
    throw otherEncoding('body');
  }
}

/** Whether the text of a query or form, percent-decoded, is UTF-8. */
export function isPercentEncoded(text: string): boolean {
  if (!text.includes('%')) return true;
  const bytes = Buffer.from(text).toString('latin1');
  const decode = (_: string, code: string): string => String.fromCharCode(Number.parseInt(code, 16));
  return isUtf8(Buffer.from(bytes.replaceAll(/%([\da-f]{2})/gi, decode), 'latin1'));
}

export function otherEncoding(what: 'body' | 'query'): Fault {
  return new Fault('invalid', `The ${what} must be encoded in UTF-8`);
}
