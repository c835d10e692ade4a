/**
 * Text that enters and leaves: UTF-8 only, since in another encoding different names become equal; cells of CSV and TSV that no
 * spreadsheet takes for formulas; names of files that storages can compare; and JSON text that is made once and used in an
 * answer and in storage.
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
  throw new Fault('unsupported-media-type', `The body must be encoded in UTF-8${declared}`, { part: 'body', headers });
}

export function otherEncoding(part: 'body' | 'query'): Fault {
  return new Fault('invalid', `The ${part} must be encoded in UTF-8`, { part });
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

// JSON text that is made once and used several times: in an answer and in storage.

/** On the object itself, where copies and comparisons do not see it: a map of weak references is work for each collection. */
const json = Symbol('json');

interface TextedValue {
  [json]?: string;
}

/** The JSON text of an object, which is made at the first call: the object may not be changed afterwards. */
export function jsonOf(value: object): string {
  const known = (value as TextedValue)[json];
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  knownJson(value, text);
  return text;
}

/** Notes the JSON text of a value that was made together with it, and returns the value. */
export function knownJson<Value extends object>(value: Value, text: string): Value {
  return Object.defineProperty(value, json, { value: text, configurable: true });
}

/** Makes the JSON text of an object, for which it uses the texts of members that exist already; returns the object. */
export function joinedJson<Value extends object>(value: Value): Value {
  let members = '';
  for (const key of Object.keys(value)) {
    const text = textOfMember(value[key as keyof Value]);
    if (text !== undefined) members += `${members === '' ? '' : ','}${keyText(key)}${text}`;
  }
  return knownJson(value, `{${members}}`);
}

/** Undefined for what JSON leaves out. */
function textOfMember(member: unknown): string | undefined {
  if (typeof member === 'number' && Number.isFinite(member)) return `${member}`;
  const known = typeof member === 'object' && member !== null ? (member as TextedValue)[json] : undefined;
  return known ?? JSON.stringify(member);
}

const keyTexts = new Map<string, string>();
const mostKeys = 1000;

function keyText(key: string): string {
  const known = keyTexts.get(key);
  if (known !== undefined) return known;
  const text = `${JSON.stringify(key)}:`;
  if (keyTexts.size < mostKeys) keyTexts.set(key, text);
  return text;
}

const brand = Symbol.for('trefoil.json-text');

/** The body of a JSON answer whose text exists already. */
export class JsonText {
  readonly [brand] = true;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function isJsonText(value: unknown): value is JsonText {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
}
