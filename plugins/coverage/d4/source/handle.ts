/** Sources that read a Blob, or a file handle of another library. */
import { D4Error } from '../error.js';
import { type BlockRange, BlockSource, blockBytes } from './blocks.js';
import { displayName } from './http.js';
import type { Source } from './source.js';

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
  /** Path or URL. */
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
      return await this.#handle.read(first, second, options);
    } catch (cause) {
      signal?.throwIfAborted();
      throw new D4Error('unreachable', 'The file cannot be read', `${this.name}: byte ${position}`, { cause });
    }
  }

  /** The start of the file, of which a handle that takes the position first would return no byte. */
  async #readFirst(length: number, options: { signal: AbortSignal } | undefined): Promise<Uint8Array> {
    let failure: unknown;
    try {
      const bytes = await this.#handle.read(length, 0, options);
      if (bytes.length > 0) return bytes;
    } catch (error) {
      failure = error;
    }
    const bytes = await this.#handle.read(0, length, options).catch(() => new Uint8Array());
    if (bytes.length === 0 && failure !== undefined) throw failure;
    this.#positionFirst = bytes.length > 0;
    return bytes;
  }

  override close(): void {
    super.close();
    Promise.resolve(this.#handle.close?.()).catch(() => undefined);
  }
}

/** Opens a file handle. Throws D4Error `unreachable`. Closing the source closes the handle. */
export async function openHandle(handle: FileHandle, name = nameOf(handle.source)): Promise<Source> {
  try {
    const { size, mtimeMs } = await handle.stat();
    return new HandleSource(handle, name, size, mtimeMs === undefined ? undefined : String(mtimeMs));
  } catch (cause) {
    throw new D4Error('unreachable', 'The file handle does not state its size', name, { cause });
  }
}

function nameOf(source = 'file handle'): string {
  return /^https?:/i.test(source) && URL.canParse(source) ? displayName(source) : source;
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
