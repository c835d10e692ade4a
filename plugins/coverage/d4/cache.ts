/** Keeps D4 files open between questions. */
import { isD4Error } from './error.js';
import { type D4File, type OpenOptions, openD4 } from './file.js';
import { Recent } from './recent.js';
import { isCurrent } from './source/local.js';

export interface CacheOptions extends Omit<OpenOptions, 'cacheBytes' | 'whole'> {
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
  readonly #whole = new Recent<true>(mostKnown);

  constructor(options: CacheOptions = {}) {
    this.#options = options;
    this.#files = options.files ?? 16;
    // Half is for decoded records, half for what comes over the network.
    this.#bytes = Math.floor((options.bytes ?? 256 * 2 ** 20) / this.#files / 2);
  }

  /**
   * Opens a file by path or URL, or takes it from the cache, and works with it. A file that has been replaced is opened again.
   * The file must not be used after the work.
   */
  async use<T>(location: string, work: (file: D4File) => Promise<T>): Promise<T> {
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

  /** Closes all files; those in use when their work is done. */
  close(): void {
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
