/** The bytes of a VCF or BED file: plain, gzip or bgzip, from a file or standard input, in constant memory. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Fault } from '../fault.js';
import { endOfBgzf } from './bgzf.js';
import { closeOpenFile, type OpenFile, readOpen } from './open.js';

/** What is made of one chunk is in memory at once: of larger ones it outlives collections of short-lived garbage. */
const chunkBytes = 128 * 1024;

export interface Source {
  /** The name of the file in messages. */
  readonly name: string;
  /** Decompressed bytes, read once; throws an `unprocessable` fault if the file is truncated or damaged. */
  chunks(): AsyncGenerator<Buffer>;
  /** How much of the file was read, 0 to 1, in bytes as stored; always 0 if the size is unknown. */
  progress(): number;
  /** Stops at once, also while bytes are waited for: `chunks` then throws. */
  close(): void;
}

/** Takes the bytes of a file as they are stored, for a checksum. */
export type TakeStored = (bytes: Buffer) => void;

/**
 * Opens a file, which messages call `name`, or standard input for `-`. Throws an `unprocessable` fault if there is no readable
 * file.
 */
export async function openSource(path: string, taken?: TakeStored, name = path): Promise<Source> {
  return path === '-' ? sourceOf('standard input', 0, () => process.stdin, taken) : openFile(path, name, taken);
}

/** A file as it is stored, compressed or not: opened once, or closed. */
export interface Stored {
  /** Bytes. */
  readonly size: number;
  open(): Readable;
  close(): void;
}

/** An open file, which is closed at the end of its stream. */
export function storedFile(file: OpenFile): Stored {
  let stream: Readable | undefined;
  return {
    size: file.size,
    open() {
      stream = readOpen(file, { highWaterMark: chunkBytes });
      return stream;
    },
    close() {
      if (stream === undefined) closeOpenFile(file).catch(() => undefined);
      else stream.destroy();
    },
  };
}

/** Messages call it `name`. */
export function sourceOfStored(stored: Stored, name: string): Source {
  const source = sourceOf(name, stored.size, () => stored.open());
  return {
    ...source,
    close() {
      stored.close();
      source.close();
    },
  };
}

async function openFile(path: string, name: string, taken: TakeStored | undefined): Promise<Source> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(name, cause);
  });
  if (found.isDirectory()) throw new Fault('unprocessable', `${name} is a directory, not a file`);
  const open = () => createReadStream(path, { highWaterMark: chunkBytes });
  return sourceOf(name, found.isFile() ? found.size : 0, open, taken);
}

/** Bytes of any stream, such as an upload. `size` in bytes, 0 if unknown. */
export function sourceOf(name: string, size: number, open: () => Readable, taken?: TakeStored): Source {
  let read = 0;
  let stream: Readable | undefined;
  return {
    name,
    progress: () => (size > 0 ? Math.min(1, read / size) : 0),
    close: () => void stream?.destroy(),
    async *chunks() {
      stream = open();
      const stored = watched(stream, (bytes) => {
        read += bytes.length;
        taken?.(bytes);
      });
      try {
        const { head, all } = await peek(stored, 18);
        if (head[0] === 0x1f && head[1] === 0x8b) yield* inflated(all, isBgzf(head), name);
        else yield* all;
      } catch (cause) {
        throw isSystemError(cause) ? unreadable(name, cause) : cause;
      } finally {
        stream.destroy();
      }
    },
  };
}

async function* watched(stream: Readable, taken: TakeStored): AsyncGenerator<Buffer> {
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    taken(chunk);
    yield chunk;
  }
}

/** The first bytes (fewer only if there are no more), and all bytes including them. */
async function peek(
  bytes: AsyncGenerator<Buffer>,
  length: number,
): Promise<{ head: Buffer; all: AsyncGenerator<Buffer> }> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < length) {
    const next = await bytes.next();
    if (next.done) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  async function* all() {
    yield head;
    yield* bytes;
  }
  return { head, all: all() };
}

/** A gzip member whose first extra field is `BC` is a BGZF block. */
function isBgzf(head: Buffer): boolean {
  return head.length >= 18 && ((head[3] ?? 0) & 4) !== 0 && head[12] === 0x42 && head[13] === 0x43;
}

async function* inflated(stored: AsyncIterable<Buffer>, bgzf: boolean, name: string): AsyncGenerator<Buffer> {
  // Node reads concatenated members, but silently takes zero bytes after a member as the end of the data, and cannot know
  // that members are missing: hence the count, and the check of the last block.
  let fed = 0;
  let tail: Buffer = Buffer.alloc(0);
  async function* all() {
    for await (const chunk of stored) {
      fed += chunk.length;
      tail = Buffer.concat([tail, chunk.subarray(-endOfBgzf.length)]).subarray(-endOfBgzf.length);
      yield chunk;
    }
  }
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  // Errors of either stream surface where gunzip is iterated.
  pipeline(Readable.from(all(), { objectMode: false, highWaterMark: chunkBytes }), gunzip, () => undefined);
  try {
    yield* gunzip as AsyncIterable<Buffer>;
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (!code?.startsWith('Z_')) throw cause;
    const reason =
      code === 'Z_BUF_ERROR' ? 'the compressed data ends too early; the file is truncated' : 'damaged compressed data';
    throw new Fault('unprocessable', `${name}: ${reason}`, { cause });
  }
  if (gunzip.bytesWritten !== fed) {
    throw new Fault('unprocessable', `${name}: no compressed data after byte ${gunzip.bytesWritten}; it is damaged`);
  }
  if (bgzf && !tail.equals(endOfBgzf)) {
    throw new Fault('unprocessable', `${name}: the closing block of a bgzip file is missing; the file is truncated`);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'no permission to read it',
  ENAMETOOLONG: 'no such file',
  ENOTDIR: 'no such file',
  ELOOP: 'too many links',
};

function unreadable(name: string, cause: NodeJS.ErrnoException): Fault {
  return new Fault('unprocessable', `${name}: ${reasons[cause.code ?? ''] ?? 'it cannot be read'}`, { cause });
}

function isSystemError(value: unknown): value is NodeJS.ErrnoException {
  return value instanceof Error && typeof (value as NodeJS.ErrnoException).syscall === 'string';
}
