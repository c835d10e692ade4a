/** Text files: decompressed, decoded, with a name for messages. */
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { utf8Text } from '../encoding.js';
import { Fault } from '../fault.js';

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
