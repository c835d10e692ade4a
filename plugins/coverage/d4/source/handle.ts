/** Sources that read a Blob, or a file handle of another library. */
import { orAbort } from '../clock.js';
import { D4Error, shown } from '../error.js';
import { type BlockRange, BlockSource, blockBytes } from './blocks.js';
import { causeOf, displayName } from './http.js';
import { isBuffer, type Source } from './source.js';

/**
 * A file as GMOD's libraries have it: `LocalFile`, `RemoteFile` and `BlobFile` of generic-filehandle2 are some, and so is one's
 * own object. A handle whose `read` takes the position before the length is recognized by its first response.
 */
export interface FileHandle {
  /** Returns the bytes from a position on; fewer only at the end of the file. */
  read(length: number, position: number, options?: { signal?: AbortSignal }): Promise<Uint8Array>;
  /** Bytes of the file, and when it was changed (milliseconds since 1970), if that is known. */
  stat(): Promise<{ size: number; mtimeMs?: number }>;
  close?(): unknown;
  /** Path or URL; if omitted, `filename` or `url` of the handle names it in errors. */
  readonly source?: string;
}

class HandleSource extends BlockSource {
  readonly size: number;
  readonly version: string | undefined;
  readonly #handle: FileHandle;
  #positionFirst = false;

  constructor(handle: FileHandle, name: string, size: number, version: string | undefined) {
    super(name);
    this.#handle = handle;
    this.size = size;
    this.version = version;
  }

  protected override async request({ from, to }: BlockRange, signal?: AbortSignal): Promise<Map<number, Uint8Array>> {
    const offset = from * blockBytes;
    const length = Math.min(to * blockBytes, this.size) - offset;
    const bytes = await this.#read(length, offset, signal);
    if (bytes.length !== length) {
      const place = `${this.name}: byte ${offset + bytes.length}`;
      if (bytes.length < length) throw new D4Error('truncated', 'The file ends early', place);
      throw new D4Error('unreachable', `The file handle returned ${bytes.length} bytes instead of ${length}`, place);
    }
    return this.blocks.keep(offset, bytes, this.size);
  }

  async #read(length: number, position: number, signal?: AbortSignal): Promise<Uint8Array> {
    const options = signal && { signal };
    try {
      if (position === 0 && !this.#positionFirst) return await this.#readFirst(length, options);
      const [first, second] = this.#positionFirst ? [position, length] : [length, position];
      return bytesOf(await this.#handle.read(first, second, options));
    } catch (cause) {
      signal?.throwIfAborted();
      const place = `${this.name}: byte ${position}`;
      throw new D4Error('unreachable', `The file cannot be read: ${causeOf(cause)}`, place, { cause });
    }
  }

  /**
   * The start of the file. A handle that takes the position first is asked for no byte at `length`: it returns none, fails, or
   * returns the whole file, as servers do for an impossible range.
   */
  async #readFirst(length: number, options: { signal: AbortSignal } | undefined): Promise<Uint8Array> {
    const read = async (first: number, second: number) => bytesOf(await this.#handle.read(first, second, options));
    const first = read(length, 0);
    const count = (bytes: Uint8Array) => bytes.length;
    const found = await first.then(count, () => 0);
    if (found === length) return first;
    options?.signal.throwIfAborted();
    const second = read(0, length);
    const other = await second.then(count, () => 0);
    this.#positionFirst = other === length || (found === 0 && other > 0);
    return this.#positionFirst ? second : first;
  }

  override close(): void {
    super.close();
    closeHandle(this.#handle);
  }
}

/** Opens a file handle. Throws D4Error `unreachable`. Closing the source closes the handle. */
export async function openHandle(handle: FileHandle, name = nameOf(handle), signal?: AbortSignal): Promise<Source> {
  try {
    const { size, mtimeMs } = await orAbort(handle.stat(), signal);
    if (size === 0)
      throw new Error('it states 0, for an empty file or because its server does not expose Content-Range');
    return new HandleSource(handle, name, size, mtimeMs === undefined ? undefined : String(mtimeMs));
  } catch (cause) {
    closeHandle(handle);
    signal?.throwIfAborted();
    if ((cause as { code?: unknown } | undefined)?.code === 'ENOENT')
      throw new D4Error('not-found', 'There is no such file', name, { cause });
    const message = `The file handle does not state its size: ${causeOf(cause)}`;
    throw new D4Error('unreachable', message, name, { cause });
  }
}

function closeHandle(handle: FileHandle): void {
  const close = async () => handle.close?.();
  close().catch(() => undefined);
}

/** `filename` and `url` are private members of generic-filehandle2. */
function nameOf(handle: object): string {
  const { source, filename, url } = handle as Record<string, unknown>;
  const name = [source, filename, url].find((one) => typeof one === 'string');
  return displayName((name as string | undefined) ?? 'file handle');
}

function bytesOf(given: unknown): Uint8Array {
  if (given instanceof Uint8Array) return given;
  if (isBuffer(given)) return new Uint8Array(given);
  throw new TypeError(`it returned ${shown(given)} instead of a Uint8Array`);
}

/** A Blob or a File, which has a name of its own. */
export function openBlob(blob: Blob, name = (blob as { name?: string }).name ?? 'blob'): Source {
  const { lastModified } = blob as { lastModified?: number };
  const handle: FileHandle = {
    read: async (length, position) => new Uint8Array(await blob.slice(position, position + length).arrayBuffer()),
    stat: async () => ({ size: blob.size }),
  };
  return new HandleSource(handle, name, blob.size, lastModified === undefined ? undefined : String(lastModified));
}
