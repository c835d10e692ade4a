/** The lines of an interval file, plain or gzip, from a file or standard input, in constant memory. */
import { createHash, type Hash } from 'node:crypto';
import { basename } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { openSource, type Source, type Stored, sourceOf } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';

/** Characters. In a binary file the first line might never end. */
const longestLine = 1024 * 1024;
/** The character that invalid UTF-8 becomes, and the one that no store accepts. */
const illegible = /[\0\uFFFD]/;

/** Some lines of a file, all complete. */
export interface Block {
  lines: string[];
  /** Number of the first of them in the file, from 1. */
  first: number;
}

export interface IntervalSource {
  /** The file's name in messages and records, without folders. */
  readonly name: string;
  /**
   * To be read once. Lines end with LF, CRLF or CR; a byte order mark is left out. Throws an `unprocessable` fault if the file
   * cannot be read, its compressed data are cut short, or a line is not UTF-8 text.
   */
  blocks(): AsyncGenerator<Block>;
  /** The fraction of the stored bytes that was read, 0 to 1; always 0 if the size is unknown. */
  progress(): number;
  /** `sha256:…` of the stored bytes, once all are read. */
  checksum(): string;
  /** Whether the last line ends with a line break, once all are read. */
  endsWithLine(): boolean;
}

/** Opens a file, or standard input for `-`. `name` is its name in messages. */
export async function openIntervals(path: string, name = basename(path)): Promise<IntervalSource> {
  const hash = createHash('sha256');
  return new Reading(await openSource(path, (bytes) => hash.update(bytes), name), hash);
}

/** Reads a stored file, once. `name` is its name in messages. */
export function intervalsOf(file: Stored, name: string): IntervalSource {
  const hash = createHash('sha256');
  return new Reading(
    sourceOf(
      name,
      file.size,
      () => file.open(),
      (bytes) => hash.update(bytes),
    ),
    hash,
  );
}

class Reading implements IntervalSource {
  readonly name: string;
  readonly #source: Source;
  readonly #hash: Hash;
  #ended = true;
  #digest: string | undefined;

  /** `hash` takes the stored bytes as they are read. */
  constructor(source: Source, hash: Hash) {
    this.name = source.name;
    this.#source = source;
    this.#hash = hash;
  }

  progress(): number {
    return this.#source.progress();
  }

  checksum(): string {
    this.#digest ??= this.#hash.digest('hex');
    return `sha256:${this.#digest}`;
  }

  endsWithLine(): boolean {
    return this.#ended;
  }

  async *blocks(): AsyncGenerator<Block> {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    let number = 1;
    let isFirst = true;
    for await (const chunk of this.#source.chunks()) {
      let text = rest + decoder.write(chunk);
      if (isFirst && text !== '') {
        text = text.replace(/^\uFEFF/, '');
        isFirst = false;
      }
      const lines = linesOf(text);
      rest = lines.pop() ?? '';
      if (rest.length > longestLine) {
        throw new Fault('unprocessable', `${this.name}, line ${number + lines.length}: the line has no end`);
      }
      if (lines.length === 0) continue;
      yield this.#block(lines, number);
      number += lines.length;
    }
    rest += decoder.end();
    this.#ended = rest === '' || rest.endsWith('\r');
    if (rest !== '') yield this.#block([rest.replace(/\r$/, '')], number);
  }

  #block(lines: string[], first: number): Block {
    const wrong = lines.findIndex((line) => illegible.test(line));
    if (wrong >= 0) throw new Fault('unprocessable', `${this.name}, line ${first + wrong}: it is not UTF-8 text`);
    return { lines, first };
  }
}

/** The lines, and last the text after the last line end; a carriage return at its end may be half of one. */
function linesOf(text: string): string[] {
  return text.includes('\r') ? text.split(/\r\n|\n|\r(?!$)/) : text.split('\n');
}
