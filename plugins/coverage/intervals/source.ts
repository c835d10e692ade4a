/** The lines of an interval file, plain or gzip, from a file or standard input, in constant memory. */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';
import type { Stored } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';

const chunkBytes = 256 * 1024;
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
   * To be read once. Throws an `unprocessable` fault if the file cannot be read, its compressed data are cut short, or a line is
   * not UTF-8 text.
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
  if (path === '-') return new Reading('standard input', 0, () => process.stdin);
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(name, cause);
  });
  if (found.isDirectory()) throw new Fault('unprocessable', `${name} is a directory, not a file`);
  return new Reading(name, found.isFile() ? found.size : 0, () =>
    createReadStream(path, { highWaterMark: chunkBytes }),
  );
}

/** Reads a stored file, once. `name` is its name in messages. */
export function intervalsOf(file: Stored, name: string): IntervalSource {
  return new Reading(name, file.size, () => file.open());
}

class Reading implements IntervalSource {
  readonly name: string;
  readonly #size: number;
  readonly #open: () => Readable;
  readonly #hash: Hash = createHash('sha256');
  #read = 0;
  #ended = true;
  #digest: string | undefined;

  constructor(name: string, size: number, open: () => Readable) {
    this.name = name;
    this.#size = size;
    this.#open = open;
  }

  progress(): number {
    return this.#size > 0 ? Math.min(1, this.#read / this.#size) : 0;
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
    try {
      for await (const chunk of this.#inflated()) {
        const lines = (rest + decoder.write(chunk)).split('\n');
        rest = lines.pop() ?? '';
        if (rest.length > longestLine) {
          throw new Fault('unprocessable', `${this.name}, line ${number + lines.length}: the line has no end`);
        }
        if (lines.length === 0) continue;
        yield this.#block(lines, number);
        number += lines.length;
      }
    } catch (cause) {
      throw isSystemError(cause) ? unreadable(this.name, cause) : cause;
    }
    rest += decoder.end();
    this.#ended = rest === '';
    if (rest !== '') yield this.#block([rest], number);
  }

  #block(lines: readonly string[], first: number): Block {
    const wrong = lines.findIndex((line) => illegible.test(line));
    if (wrong >= 0) throw new Fault('unprocessable', `${this.name}, line ${first + wrong}: it is not UTF-8 text`);
    return { lines: lines.map(withoutReturn), first };
  }

  async *#stored(): AsyncGenerator<Buffer> {
    const stream = this.#open();
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        this.#read += chunk.length;
        this.#hash.update(chunk);
        yield chunk;
      }
    } finally {
      stream.destroy();
    }
  }

  async *#inflated(): AsyncGenerator<Buffer> {
    const stored = this.#stored();
    const { value: head } = await stored.next();
    if (!head) return;
    async function* all() {
      yield head as Buffer;
      yield* stored;
    }
    if (head[0] !== 0x1f || head[1] !== 0x8b) return yield* all();
    const gunzip = createGunzip({ chunkSize: chunkBytes });
    // Errors of both streams surface when gunzip is iterated.
    pipeline(Readable.from(all(), { objectMode: false }), gunzip, () => undefined);
    try {
      yield* gunzip as AsyncIterable<Buffer>;
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (!code?.startsWith('Z_')) throw cause;
      const reason = code === 'Z_BUF_ERROR' ? 'its compressed data end too early' : 'its compressed data are damaged';
      throw new Fault('unprocessable', `${this.name}: ${reason}`, { cause });
    }
    // If the bytes after a gzip member do not begin another, Node.js ends the data there without an error.
    if (gunzip.bytesWritten !== this.#read) {
      throw new Fault('unprocessable', `${this.name}: its compressed data are damaged`);
    }
  }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  ENAMETOOLONG: 'no such file',
  EACCES: 'no permission to read it',
};

function unreadable(name: string, cause: NodeJS.ErrnoException): Fault {
  return new Fault('unprocessable', `${name}: ${reasons[cause.code ?? ''] ?? 'it cannot be read'}`, { cause });
}

function isSystemError(value: unknown): value is NodeJS.ErrnoException {
  return value instanceof Error && typeof (value as NodeJS.ErrnoException).syscall === 'string';
}
