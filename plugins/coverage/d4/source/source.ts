/**
 * Where the bytes of a D4 file come from: the interface of all sources, the reading of small pieces of one, the sources whose
 * bytes are in memory or in a local file, and a memory for what is known of the versions that were used last.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { D4Error } from '../error.js';

/** A piece of a file, in bytes. `ahead` is the length that would be useful if a request is needed anyway. */
export interface ByteSpan {
  offset: number;
  length: number;
  ahead?: number;
}

/** Bytes that were fetched, and can be copied without waiting. */
export interface ByteView {
  /** Fills the whole target with the bytes from offset on. Throws D4Error if they cannot be read. */
  copy(target: Uint8Array, offset: number): void;
}

/** A version of a local file. */
export interface LocalIdentity {
  path: string;
  device: number;
  inode: number;
  size: number;
  /** Milliseconds since 1970. */
  modified: number;
}

/** Where a file's bytes come from. */
export interface Source {
  /** Path or URL, used in error places. */
  readonly name: string;
  /** Set if workers can open the same file themselves. */
  readonly local?: LocalIdentity;
  /** Bytes in the file. */
  readonly size: number;
  /** Identifies the version of the bytes, besides their number; undefined for bytes in memory. */
  readonly version?: string | undefined;
  /** Whether each fetch may cost a network round trip. */
  readonly remote: boolean;
  /** Fetches all spans together. They must be inside the file. */
  fetch(spans: readonly ByteSpan[], signal?: AbortSignal): ByteView | Promise<ByteView>;
  close(): void;
}

/** Identifies a version of a file among all files and versions; undefined for bytes in memory. */
export function versionOfSource({ name, local, size, version }: Source): string | undefined {
  if (local) return JSON.stringify([local.device, local.inode, size, local.modified]);
  return version === undefined ? undefined : JSON.stringify([name, size, version]);
}

// Reads small pieces of a source: checks their extent, decodes little-endian integers.

/** Throws unless the span is inside the file; `what` names it in the error. */
export function inside(source: Source, span: ByteSpan, what: string): void {
  const { offset, length } = span;
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0) {
    throw new D4Error('broken', `${what} has an impossible position or size`, `${source.name}: ${what}`);
  }
  if (offset + length > source.size) {
    throw new D4Error(
      'truncated',
      `${what} reaches byte ${offset + length} but the file has ${source.size}`,
      `${source.name}: ${what}, byte ${offset}`,
    );
  }
}

/** Reads one small piece whole. */
export async function readBytes(
  source: Source,
  span: ByteSpan,
  what: string,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  inside(source, span, what);
  const bytes = new Uint8Array(span.length);
  const view = await source.fetch([span], signal);
  view.copy(bytes, span.offset);
  return bytes;
}

/** A little-endian view on bytes. */
export function dataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Reads a 64-bit integer as a number; one beyond 2^53 becomes inexact and fails every range check. */
export function int64(view: DataView, at: number): number {
  return Number(view.getBigInt64(at, true));
}

// A source whose bytes are in memory.

/** Bytes in memory, read like a file. */
export function memorySource(bytes: Uint8Array, name = 'memory'): Source {
  const view: ByteView = {
    copy(target, offset) {
      if (offset + target.length > bytes.length) {
        throw new D4Error('truncated', 'The bytes end early', `${name}: byte ${bytes.length}`);
      }
      target.set(bytes.subarray(offset, offset + target.length));
    },
  };
  return { name, size: bytes.length, remote: false, fetch: () => view, close: () => undefined };
}

// A source that reads a local file.

/**
 * A local file, read directly into the caller's buffer. The reads are synchronous, because a read from the page cache takes
 * microseconds and an asynchronous one tens of them; callers keep each read small.
 */
class LocalSource implements Source, ByteView {
  readonly name: string;
  readonly size: number;
  readonly remote = false;
  readonly local: LocalIdentity;
  readonly version: string;
  readonly #fd: number;
  #open = true;

  constructor(local: LocalIdentity, fd: number) {
    this.name = local.path;
    this.#fd = fd;
    this.size = local.size;
    this.local = local;
    this.version = String(local.modified);
  }

  fetch(): ByteView {
    return this;
  }

  copy(target: Uint8Array, offset: number): void {
    if (!this.#open) throw new D4Error('unreachable', 'The file was closed while it was being read', this.name);
    let done = 0;
    while (done < target.length) {
      let got: number;
      try {
        got = readSync(this.#fd, target, done, target.length - done, offset + done);
      } catch (cause) {
        throw new D4Error('unreachable', 'The file cannot be read', `${this.name}: byte ${offset + done}`, { cause });
      }
      if (got === 0) throw new D4Error('truncated', 'The file ends early', `${this.name}: byte ${offset + done}`);
      done += got;
    }
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#fd);
  }
}

/** Opens a file for reading. Returns its descriptor, or undefined for a path that may not be opened. */
export type OpenPath = (path: string) => Promise<number | undefined>;

/** Without O_NONBLOCK, opening a pipe would wait for a writer. */
const openPlainly: OpenPath = async (path) => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);

/** Opens a local file. Throws D4Error `not-found`, or `unreachable` if it cannot be opened or is not a regular file. */
export async function openLocal(path: string, open = openPlainly): Promise<Source> {
  let fd: number | undefined;
  try {
    fd = await open(path);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new D4Error('not-found', 'There is no such file', path, { cause });
    throw new D4Error('unreachable', `The file cannot be opened: ${code}`, path, { cause });
  }
  if (fd === undefined) throw new D4Error('not-found', 'There is no such file', path);
  const status = fstatSync(fd);
  if (!status.isFile()) {
    closeSync(fd);
    throw new D4Error('unreachable', 'Not a regular file', path);
  }
  return new LocalSource(identity(path, status), fd);
}

function identity(path: string, { dev, ino, size, mtimeMs }: Stats): LocalIdentity {
  return { path, device: dev, inode: ino, size, modified: mtimeMs };
}

/** Whether the file at the path is still the version that was opened. */
export function isCurrent(opened: LocalIdentity): boolean {
  const status = statSync(opened.path, { throwIfNoEntry: false });
  return status !== undefined && isSame(identity(opened.path, status), opened);
}

export function isSame(a: LocalIdentity, b: LocalIdentity): boolean {
  return a.device === b.device && a.inode === b.inode && a.size === b.size && a.modified === b.modified;
}

/** Remembers a value for each of the keys that were used last. */
export class RecentlyUsed<Value> {
  readonly #values = new Map<string, Value>();
  readonly #most: number;

  /** `most` keys are remembered. */
  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#most) return;
      this.#values.delete(oldest);
    }
  }
}
