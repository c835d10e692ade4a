/**
 * Text files: decompressed, decoded, with a name for messages, cut into blocks of whole lines, and with a count of the lines
 * that a reader leaves out.
 */
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Fault } from '../fault.js';
import { utf8Text } from '../text.js';
import type { Source } from './source.js';

export interface TextFile {
  /** For messages, and stored as the source of the resource. */
  name: string;
  text: string;
}

/** Bytes, compressed or not. No file that is read here is nearly as large: HPO in JSON has 70 MB. */
export const largestFile = 400_000_000;

const unzip = promisify(gunzip);

/** Reads a file. Throws an `unprocessable` fault if it cannot be read, decompressed or decoded; if aborted, the signal's reason. */
export async function readTextFile(path: string, signal?: AbortSignal): Promise<TextFile> {
  const name = basename(path);
  const chunks = createReadStream(path, { highWaterMark: 1_000_000, ...(signal && { signal }) });
  const large = new Fault('unprocessable', `${name} must not be larger than ${largestFile} bytes`);
  try {
    return await decodeText(name, await gathered(chunks, large));
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof Fault) throw cause;
    const why = reasons[(cause as NodeJS.ErrnoException).code ?? ''] ?? 'cannot be read';
    throw new Fault('unprocessable', `${path}: ${why}`, { cause });
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'a folder, not a file',
  EACCES: 'no permission to read this file',
};

/** All bytes of a file or response. Throws `large` once there are more than the limit. */
export async function gathered(
  chunks: AsyncIterable<Uint8Array>,
  large: Fault,
  limit = largestFile,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let read = 0;
  for await (const chunk of chunks) {
    read += chunk.length;
    if (read > limit) throw large;
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/**
 * Decompresses gzip and bgzip, and decodes UTF-8 without its byte order mark. A carriage return alone ends a line, too, and becomes a
 * line feed. Throws an `unprocessable` fault, which says of workbooks how to save them.
 */
export async function decodeText(name: string, bytes: Uint8Array): Promise<TextFile> {
  let plain = bytes;
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    try {
      plain = await unzip(bytes, { maxOutputLength: largestFile });
    } catch (cause) {
      const large = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      const why = large ? `has more than ${largestFile} bytes when decompressed` : 'is damaged or truncated gzip';
      throw new Fault('unprocessable', `${name} ${why}`, { cause });
    }
  }
  const other = notText(plain);
  if (other !== undefined) throw new Fault('unprocessable', `${name} is ${other}`);
  const text = utf8Text(plain);
  if (text === undefined) throw new Fault('unprocessable', `${name} is not UTF-8 text`);
  return { name, text: text.replace(/\r(?!\n)/g, '\n') };
}

/** What a file is that begins as workbooks and archives do, and what to do with it; undefined for any other. */
export function notText(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const begins = (hex: string) => start.subarray(0, hex.length / 2).toString('hex') === hex;
  const save =
    'save its sheet as text, in the spreadsheet program by "Save as" as "Text (Tab delimited)" or "CSV UTF-8"';
  if (begins('fffe') || begins('feff')) return 'UTF-16 text: save it as UTF-8';
  if (begins('d0cf11e0a1b11ae1')) return `a workbook (xls) and not text: ${save}`;
  if (!begins('504b0304')) return undefined;
  if (start.includes('xl/workbook')) return `a workbook (xlsx) and not text: ${save}`;
  if (start.includes('application/vnd.oasis.opendocument.spreadsheet')) return `a workbook (ods) and not text: ${save}`;
  return 'a ZIP archive and not text: unpack it';
}

/**
 * Calls `take` with each line without its line end, and its number from 1. An Error becomes a fault that names file and line, as does
 * a line that is the text of a failed download.
 */
export function eachLine({ name, text }: TextFile, take: (line: string, number: number) => void): void {
  let number = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const stop = newline < 0 ? text.length : newline;
    const end = stop > start && text.charCodeAt(stop - 1) === 13 ? stop - 1 : stop;
    number++;
    try {
      const line = text.slice(start, end);
      const failed = failedDownload(line);
      if (failed !== undefined) throw new Error(failed);
      take(line, number);
    } catch (cause) {
      throw fileFault(name, (cause as Error).message, number);
    }
    start = stop + 1;
  }
}

/**
 * Why a line is the text of a failed download and not of the file: servers write it in the place of the rest of the file,
 * with status 200. Undefined for any other line.
 */
export function failedDownload(line: string): string | undefined {
  const error = line.indexOf('Query ERROR');
  if (error >= 0) return `the download failed: BioMart wrote ${quoted(line.slice(error))}`;
  const text = line.trimStart();
  if (/^<(?:!doctype|html|head|body|\?xml)\b/i.test(text))
    return `the download failed: this is a web page, ${quoted(text)}`;
  if (/^(?:HTTP\/\d\S* |Error )?50[0234]\b[^\t]*(?:error|gateway|unavailable|time-?out)[^\t]*$/i.test(text))
    return `the download failed: the server wrote ${quoted(text)}`;
  return undefined;
}

/** The fault for a file that is not valid. */
export function fileFault(name: string, reason: string, line?: number): Fault {
  return new Fault('unprocessable', line === undefined ? `${name}: ${reason}` : `${name}, line ${line}: ${reason}`);
}

/** A value of the file, shortened for messages. */
export function quoted(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
}

/** The date in a text such as `hp/releases/2024-08-13`, or in a file name. */
export function releaseDate(text: string | undefined): string | undefined {
  return /\b(?<date>\d{4}-\d{2}-\d{2})(?!\d)/.exec(text?.replaceAll('_', ' ') ?? '')?.groups?.date;
}

/**
 * Returns a function that takes the lines of a table with tab-separated columns: for the first, the names of the columns in any
 * case, it returns undefined; for each further one its cells by these names in lower case, undefined for a column that the
 * table lacks. Throws if a needed column is missing, or if a line has another number of cells.
 */
export function rowsOf(
  needed: readonly string[],
): (line: string) => ((name: string) => string | undefined) | undefined {
  let names: readonly string[] | undefined;
  return (line) => {
    const cells = line.split('\t');
    const known = names;
    if (known === undefined) {
      const read = cells.map((name) => name.trim().toLowerCase());
      const missing = needed.filter((name) => !read.includes(name));
      if (missing.length > 0) throw new Error(`the column ${missing.map(quoted).join(', ')} is missing`);
      names = read;
      return undefined;
    }
    if (cells.length !== known.length) throw new Error(`expected ${known.length} columns, found ${cells.length}`);
    return (name) => cells[known.indexOf(name)];
  };
}

// Cuts bytes into blocks of whole lines: as text, or with one character a byte.

/** Longest line in bytes: a file that is not text might have no line end at all. */
const longestLine = 64 * 1024 * 1024;

/**
 * Blocks of one or more lines, each ended by a line feed (added to the last line if missing). Latin-1, so that positions are
 * bytes and unused columns are never decoded; `utf8` decodes a part.
 */
export async function* blocks(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<string> {
  let started: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const last = chunk.lastIndexOf(10);
    if (last < 0) {
      started.push(chunk);
      length += chunk.length;
      if (length > longestLine) throw new Fault('unprocessable', `${name}: a line is longer than ${longestLine} bytes`);
      continue;
    }
    started.push(chunk.subarray(0, last + 1));
    yield Buffer.concat(started).toString('latin1');
    started = [chunk.subarray(last + 1)];
    length = chunk.length - last - 1;
  }
  if (length > 0) yield `${Buffer.concat(started).toString('latin1')}\n`;
}

/** Some lines of a file. */
export interface LineBlock {
  /** Without their line ends. */
  lines: string[];
  /** Number of the first of them in the file, from 1. */
  first: number;
  /** Whether the last of them ends with a line end; always true but at the end of the file. */
  isEnded: boolean;
}

/** The character that invalid UTF-8 becomes, and the one that no store accepts. */
const illegible = /[\0\uFFFD]/;

/**
 * The lines of a file, in constant memory. They end with LF, CRLF or CR; a byte order mark is left out. Throws an `unprocessable`
 * fault for a line that is not UTF-8, since of names in another encoding different ones would become equal, or that has more than
 * `longest` characters: a binary file might have no line end at all.
 */
export async function* lineBlocks(source: Source, longest = 2 ** 20): AsyncGenerator<LineBlock> {
  const decoder = new StringDecoder('utf8');
  let first = 1;
  let [started, length]: [string[], number] = [[], 0];
  let [isMarked, isReturned] = [false, false];
  const fault = (line: number, reason: string) => new Fault('unprocessable', `${source.name}, line ${line}: ${reason}`);
  const block = (lines: string[], isEnded = true): LineBlock => {
    const wrong = lines.findIndex((line) => illegible.test(line));
    if (wrong >= 0) throw fault(first + wrong, 'it is not UTF-8 text');
    return { lines, first, isEnded };
  };
  for await (const chunk of source.chunks()) {
    let text = `${isReturned ? '\r' : ''}${decoder.write(chunk)}`;
    if (!isMarked && text !== '') {
      text = text.replace(/^\uFEFF/, '');
      isMarked = true;
    }
    // It may be half of a line end.
    isReturned = text.endsWith('\r');
    if (isReturned) text = text.slice(0, -1);
    const lines = text.includes('\r') ? text.split(/\r\n?|\n/) : text.split('\n');
    const rest = lines.pop() ?? '';
    if (lines.length > 0) {
      lines[0] = started.join('') + lines[0];
      yield block(lines);
      first += lines.length;
      [started, length] = [[], 0];
    }
    started.push(rest);
    length += rest.length;
    if (length > longest) throw fault(first, 'the line has no end');
  }
  const last = started.join('') + decoder.end();
  if (last !== '' || isReturned) yield block([last], isReturned);
}

/** Decodes a part of a block; bytes that are not UTF-8 become U+FFFD. */
export function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}

// Lines that a reader leaves out: how many, for which reasons, and whether they are too many.

/** The greatest part of the lines that may be left out for one reason. */
const mostSkipped = 0.05;

interface SkippedReason {
  count: number;
  /** The first such line. */
  line: number;
  text: string;
}

/** Counts the lines of one file, by kind (`genes`, `exons`) if it has several. */
export class SkippedLines<Reason extends string = string> {
  readonly #read = new Map<string, number>();
  readonly #skipped = new Map<string, Map<Reason, SkippedReason>>();

  read(kind: string): void {
    this.#read.set(kind, (this.#read.get(kind) ?? 0) + 1);
  }

  skip(kind: string, reason: Reason, line: number, text: string): void {
    const own = this.#skipped.get(kind) ?? new Map<Reason, SkippedReason>();
    this.#skipped.set(kind, own);
    const known = own.get(reason);
    if (known === undefined) own.set(reason, { count: 1, line, text });
    else known.count += 1;
  }

  /** Lines that were read, of all kinds. */
  get lines(): number {
    return [...this.#read.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Lines that were skipped, of all kinds: reason → count. */
  get reasons(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const own of this.#skipped.values())
      for (const [reason, { count }] of own) counts[reason] = (counts[reason] ?? 0) + count;
    return counts;
  }

  /**
   * Throws an `unprocessable` fault if more than one in twenty lines of a kind were skipped for one reason: the file is then
   * not what the reader takes it for. Lines that were skipped for the `expected` reasons do not count at all.
   */
  check(file: string, expected: readonly Reason[]): void {
    for (const [kind, own] of this.#skipped) {
      const counted = [...own].filter(([reason]) => !expected.includes(reason));
      const all = (this.#read.get(kind) ?? 0) + counted.reduce((sum, [, { count }]) => sum + count, 0);
      for (const [reason, { count, line, text }] of counted) {
        if (count <= mostSkipped * all) continue;
        throw new Fault(
          'unprocessable',
          `${file}: ${count} of ${all} lines of ${kind} would be left out (${reason}), the first of them line ${line}: ` +
            `${quoted(text)}. Nothing was changed. Force the load if the file is right`,
        );
      }
    }
  }
}
