/**
 * Text that enters and leaves: UTF-8 only, since in another encoding different names become equal; cells of CSV and TSV that no
 * spreadsheet takes for formulas; and names of files that storages can compare.
 */
import { isUtf8 } from 'node:buffer';
import { normalize } from 'node:path/posix';
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

/** The character set that a media type names, in lower case; undefined if it names none, or UTF-8 or its part ASCII. */
function otherCharset(mediaType: string | undefined): string | undefined {
  const [, quoted, plain] = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(mediaType ?? '') ?? [];
  const charset = (quoted ?? plain ?? '').trim().toLowerCase();
  return ['', 'utf-8', 'utf8', 'us-ascii'].includes(charset) ? undefined : charset;
}

/**
 * The text of another server's response, in the character set that its media type names, or else in UTF-8. Throws an `unavailable`
 * fault, whose sentence follows the server's name, if the set is not known or the bytes are not text in it.
 */
export function responseText(bytes: Uint8Array, mediaType: string | undefined): string {
  const charset = otherCharset(mediaType);
  let decoder = utf8;
  try {
    if (charset !== undefined) decoder = new TextDecoder(charset, { fatal: true });
  } catch {
    throw new Fault('unavailable', 'sent its response in a character set that is not known here');
  }
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Fault('unavailable', `sent a response that is not text in ${decoder.encoding.toUpperCase()}`);
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

/** Refuses a body, or a part of a form, that is declared in another character set. */
export function refuseOtherCharset(mediaType: string | undefined, headers: Record<string, string> = {}): void {
  const charset = otherCharset(mediaType);
  if (charset === undefined) return;
  const declared = /^[\w.:-]{1,40}$/.test(charset) ? `, not in ${charset}, as its Content-Type says` : '';
  throw new Fault('unsupported-media-type', `The body must be encoded in UTF-8${declared}`, { headers });
}

export function otherEncoding(what: 'body' | 'query'): Fault {
  return new Fault('invalid', `The ${what} must be encoded in UTF-8`);
}

// Text for files that people open in spreadsheet programs, which take some of it for formulas (OWASP, CSV Injection).

/**
 * What a spreadsheet drops before it reads a cell: quotes, blanks, tabs, and characters without width or shape. After them, a sign
 * with which a formula begins; or at the very beginning a tab or line end, after which some programs begin a cell.
 */
const formula =
  /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}"'`\p{Pi}\p{Pf}\u201A\u201E\uFF02\uFF07]*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20])/u;

/**
 * The text, with a leading apostrophe if a spreadsheet would take it for a formula. Every name that comes from outside goes through
 * it on its way into a text export, also into those that programs read (BED, MultiQC): no other text is changed.
 */
export function withoutFormula(text: string): string {
  return formula.test(text) ? `'${text}` : text;
}

/** A cell of CSV (RFC 4180) or TSV. Numbers come from the server and stay numbers. */
export function separatedCell(value: string | number, separator: ',' | '\t'): string {
  if (typeof value === 'number') return String(value);
  const harmless = withoutFormula(value);
  if (separator === ',') return /[",\r\n;\t]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
  const cell = harmless.replace(/[\t\r\n]+/g, ' ');
  // TSV knows no quotes, but spreadsheets do: after a leading one, the next cells would be part of this one.
  return /^\s*"/.test(cell) ? `'${cell}` : cell;
}

// The place of a file that was named, as a text that storages can compare.

/** The path of a file without needless parts, or its URL in its usual form; names in S3 are taken as they are written. */
export function placeOf(text: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return normalize(text);
  if (/^s3:/i.test(text) || !URL.canParse(text)) return text;
  const url = new URL(text);
  url.hash = '';
  return url.href;
}
