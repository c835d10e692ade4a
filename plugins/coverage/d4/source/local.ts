/** A source that reads a local file. */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { D4Error } from '../error.js';
import type { ByteView, LocalIdentity, Source } from './source.js';

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
