/** Files in Node.js: opened, also by their path, kept open between questions, and identified. */

import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inflateRawSync } from 'node:zlib';
import { checkLimit, checkObject, checkWhole } from '../chromosomes.js';
import { checkSignal, orAbort } from '../clock.js';
import { D4Error, isD4Error, refuse } from '../error.js';
import { type D4File, RecentlyUsed } from '../file.js';
import { type OpenOptions, openOn } from '../open.js';
import type { ByteView, LocalIdentity, Source } from '../source/source.js';

export interface NodeOpenOptions extends OpenOptions {
  /** Opens local files; by default whatever is at the path. */
  openPath?: OpenPath | undefined;
}

/** Opens a D4 file. Throws D4Error. */
export const openD4 = openOn<NodeOpenOptions>({
  inflate: (packed, size) => inflateRawSync(packed, { maxOutputLength: size }),
  openPath: (path, { openPath }) => openLocal(path, openPath),
});

/**
 * Sixteen hexadecimal digits that change with the file: a hash of its size, its time or tag and its headers. For
 * reports and caches. It is not a checksum of the depths, for which the whole file would have to be read.
 */
export function fingerprintD4(file: D4File): string {
  if (!file?.source || !file.tracks) refuse('file', 'a D4File', file);
  const { source, tracks } = file;
  const { size, version } = source;
  const hash = createHash('sha256').update(JSON.stringify([size, version ?? null]));
  for (const { name, chromosomes, dictionary, denominator, primary } of tracks) {
    const { width, low, values } = dictionary;
    const names = chromosomes.map((chromosome) => [chromosome.name, chromosome.size]);
    hash.update(JSON.stringify([name, names, width, low ?? values, denominator, primary]));
  }
  return hash.digest('hex').slice(0, 16);
}

// Local files.

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

  /** Whether the file was overwritten in place: its tables are those of the former bytes. */
  check(): void {
    if (this.#open && !isSame(identity(this.name, fstatSync(this.#fd)), this.local)) {
      throw new D4Error('changed', 'The file was overwritten since it was opened', this.name);
    }
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

/**
 * Opens a local file. Throws D4Error `not-found`, `unreachable` if it cannot be opened or is not a regular file, and `invalid` for
 * a URL of another kind.
 */
export async function openLocal(location: string | URL, open = openPlainly): Promise<Source> {
  if (location instanceof URL && location.protocol !== 'file:')
    throw new D4Error('invalid', 'Files are read from http, https, s3 and file URLs', location.href);
  const path = pathOf(location);
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

function pathOf(location: string | URL): string {
  if (!(location instanceof URL) && !/^file:\/\//i.test(location)) return location;
  try {
    return fileURLToPath(location);
  } catch (cause) {
    throw new D4Error('invalid', 'The URL names no file of this machine', String(location), { cause });
  }
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

// Keeps files open between questions.

export interface CacheOptions extends Omit<NodeOpenOptions, 'cacheBytes' | 'name' | 'signal' | 'whole'> {
  /** Most files kept open; 16 by default. */
  files?: number | undefined;
  /** Bytes of decoded records and downloaded blocks of all of them together; 256 MiB by default. */
  bytes?: number | undefined;
  /** Called at each use of a file; `cached` if it was open already. */
  onUse?: (cached: boolean) => void;
}

interface CachedFile {
  file: Promise<D4File>;
  users: number;
  /** Removed from the cache: its last user closes it. */
  dropped: boolean;
}

/** Versions of files that are remembered as complete. */
const mostKnown = 10_000;

/** Keeps files open between questions: opening costs more than most questions do. */
export class D4Cache {
  readonly #entries = new Map<string, CachedFile>();
  readonly #options: CacheOptions;
  readonly #files: number;
  readonly #bytes: number;
  readonly #whole = new RecentlyUsed<true>(mostKnown);
  #closed = false;

  constructor(options: CacheOptions = {}) {
    checkObject('options', options);
    this.#options = options;
    this.#files = options.files ?? 16;
    checkWhole('files', this.#files, 1);
    checkLimit('bytes', options.bytes ?? 0);
    // Half is for decoded records, half for what comes over the network.
    this.#bytes = Math.floor((options.bytes ?? 256 * 2 ** 20) / this.#files / 2);
  }

  /**
   * Opens a file by path or URL, or takes it from the cache, and works with it. A file that has been replaced is opened again.
   * The file must not be used after the work. A signal that aborts ends the call; the file is opened for others.
   */
  async use<T>(location: string, work: (file: D4File) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (typeof work !== 'function') refuse('work', 'a function', work);
    checkSignal(signal);
    if (this.#closed) throw new D4Error('failed', 'The cache was closed', location);
    const started = async (file: D4File) => {
      signal?.throwIfAborted();
      return work(file);
    };
    return orAbort(this.#use(location, started), signal);
  }

  async #use<T>(location: string, work: (file: D4File) => Promise<T>): Promise<T> {
    const entry = await this.#acquire(location);
    try {
      return await work(await entry.file);
    } catch (error) {
      // A file that is broken or was replaced is not kept: the next question opens it again.
      if (isD4Error(error) && error.code !== 'invalid' && error.code !== 'unknown-chromosome')
        this.#drop(location, entry);
      throw error;
    } finally {
      entry.users--;
      this.#closeUnused(entry);
    }
  }

  /** The number of files that are kept open. */
  get size(): number {
    return this.#entries.size;
  }

  /** Closes all files; those in use when their work is done. No other is opened. */
  close(): void {
    this.#closed = true;
    for (const [location, entry] of this.#entries) this.#drop(location, entry);
  }

  async #acquire(location: string): Promise<CachedFile> {
    let entry = this.#entries.get(location);
    if (entry) {
      entry.users++;
      const local = await entry.file.then(
        ({ source }) => source.local,
        () => undefined,
      );
      if (!local || isCurrent(local)) {
        if (this.#entries.get(location) === entry) {
          this.#entries.delete(location);
          this.#entries.set(location, entry);
        }
        this.#options.onUse?.(true);
        return entry;
      }
      entry.users--;
      this.#drop(location, entry);
    }
    const { sweeper, kernel, http, s3, openPath, onUse } = this.#options;
    onUse?.(false);
    const cacheBytes = this.#bytes;
    entry = {
      file: openD4(location, {
        sweeper,
        kernel,
        openPath,
        cacheBytes,
        whole: this.#whole,
        http: { ...http, cacheBytes },
        ...(s3 && { s3: { ...s3, cacheBytes } }),
      }),
      users: 1,
      dropped: false,
    };
    const before = this.#entries.get(location);
    if (before) this.#drop(location, before);
    this.#entries.set(location, entry);
    for (const [oldest, old] of this.#entries) {
      if (this.#entries.size <= this.#files) break;
      this.#drop(oldest, old);
    }
    return entry;
  }

  #drop(location: string, entry: CachedFile): void {
    if (this.#entries.get(location) === entry) this.#entries.delete(location);
    entry.dropped = true;
    this.#closeUnused(entry);
  }

  #closeUnused(entry: CachedFile): void {
    if (!entry.dropped || entry.users > 0) return;
    entry.file.then(
      (file) => file.close(),
      () => undefined,
    );
  }
}
