/**
 * The bytes of a VCF or BED file: plain, gzip or bgzip, from a file or standard input, in constant memory; and how BGZF is
 * written, gzip in blocks that can be read from the middle (SAM specification §4.1).
 */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline, Readable, type Writable } from 'node:stream';
import { promisify } from 'node:util';
import { crc32, createGunzip, deflateRaw } from 'node:zlib';
import { Fault } from '../fault.js';
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
export type TakeStoredBytes = (bytes: Buffer) => void;

/**
 * Opens a file, which messages call `name`, or standard input for `-`. Throws an `unprocessable` fault if there is no readable
 * file.
 */
export async function openSource(path: string, taken?: TakeStoredBytes, name = path): Promise<Source> {
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

async function openFile(path: string, name: string, taken: TakeStoredBytes | undefined): Promise<Source> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(name, cause);
  });
  if (found.isDirectory()) throw new Fault('unprocessable', `${name} is a directory, not a file`);
  const open = () => createReadStream(path, { highWaterMark: chunkBytes });
  return sourceOf(name, found.isFile() ? found.size : 0, open, taken);
}

/** Bytes of any stream, such as an upload. `size` in bytes, 0 if unknown. */
export function sourceOf(name: string, size: number, open: () => Readable, taken?: TakeStoredBytes): Source {
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

async function* watched(stream: Readable, taken: TakeStoredBytes): AsyncGenerator<Buffer> {
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

// Writes BGZF: gzip in blocks that can be read from the middle (SAM specification §4.1), as bgzip and htslib do.

/** Uncompressed bytes in a block, as htslib has them: compressed they always fit into the 64 KiB that a block may have. */
const blockBytes = 0xff00;
/** Blocks that are compressed at a time. */
const ahead = 8;
const headerBytes = 18;
const footerBytes = 8;

/** The empty block that ends every complete BGZF file (SAM specification §4.1.2). */
export const endOfBgzf = Buffer.from('1f8b08040000000000ff0600424302001b0003000000000000000000', 'hex');

const deflate = promisify(deflateRaw);

/** Compresses what is written, block by block, into a stream that stays open. */
export class BgzfWriter {
  readonly #target: Writable;
  readonly #level: number;
  readonly #signal: AbortSignal | undefined;
  #block = Buffer.allocUnsafe(blockBytes);
  #filled = 0;
  #waiting: Promise<Buffer>[] = [];
  /** Where each block begins in the compressed file, in bytes. */
  readonly #starts: number[] = [];
  #compressed = 0;

  /** `level` as in zlib, 0 to 9. Aborting ends the wait for a target that takes no more. */
  constructor(target: Writable, { level = 6, signal }: { level?: number; signal?: AbortSignal } = {}) {
    this.#target = target;
    this.#level = level;
    this.#signal = signal;
  }

  /** Resolves once there is room for more. The bytes may be reused then. Rejects if the target fails. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + blockBytes - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === blockBytes) await this.#flush();
    }
  }

  /** Writes the rest and the closing block; the target stays open. */
  async end(): Promise<void> {
    if (this.#filled > 0) await this.#flush();
    while (this.#waiting.length > 0) await this.#store();
    this.#starts.push(this.#compressed);
    await this.#put(endOfBgzf);
  }

  /** The virtual file offset (SAM specification §4.1.1) of an uncompressed one; only after `end`. */
  virtualOffset(offset: number): bigint {
    const block = Math.floor(offset / blockBytes);
    return (BigInt(this.#starts[block] ?? this.#compressed) << 16n) | BigInt(offset % blockBytes);
  }

  async #flush(): Promise<void> {
    const compressed = compress(this.#block.subarray(0, this.#filled), this.#level);
    // Its error is thrown by the write or end that waits for it.
    compressed.catch(() => undefined);
    this.#waiting.push(compressed);
    this.#block = Buffer.allocUnsafe(blockBytes);
    this.#filled = 0;
    if (this.#waiting.length >= ahead) await this.#store();
  }

  /** Writes the oldest block. */
  async #store(): Promise<void> {
    const block = (await this.#waiting.shift()) as Buffer;
    this.#starts.push(this.#compressed);
    await this.#put(block);
  }

  async #put(bytes: Buffer): Promise<void> {
    this.#compressed += bytes.length;
    if (this.#target.errored) throw this.#target.errored;
    if (!this.#target.write(bytes))
      await once(this.#target, 'drain', { ...(this.#signal && { signal: this.#signal }) });
  }
}

async function compress(block: Buffer, level: number): Promise<Buffer> {
  const data = await deflate(block, { level });
  const whole = Buffer.allocUnsafe(headerBytes + data.length + footerBytes);
  endOfBgzf.copy(whole, 0, 0, headerBytes);
  whole.writeUInt16LE(whole.length - 1, 16);
  data.copy(whole, headerBytes);
  whole.writeUInt32LE(crc32(block), headerBytes + data.length);
  whole.writeUInt32LE(block.length, headerBytes + data.length + 4);
  return whole;
}

/** Bytes as one complete BGZF file. */
export async function bgzipped(bytes: Buffer): Promise<Buffer> {
  const blocks: Promise<Buffer>[] = [];
  for (let at = 0; at < bytes.length; at += blockBytes) blocks.push(compress(bytes.subarray(at, at + blockBytes), 6));
  return Buffer.concat([...(await Promise.all(blocks)), endOfBgzf]);
}
