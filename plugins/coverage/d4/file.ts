/** Opens a D4 file, answers questions about its depths, and keeps files open between questions. */
import { createHash } from 'node:crypto';
import type { Interval } from './chromosomes.js';
import { D4Error, isD4Error } from './error.js';
import type { KernelName } from './kernel/kernel.js';
import { bins } from './profile.js';
import { type HttpOptions, openHttp } from './source/http.js';
import {
  dataView,
  isCurrent,
  type OpenPath,
  openLocal,
  RecentlyUsed,
  readBytes,
  type Source,
  versionOfSource,
} from './source/source.js';
import {
  type ColumnsRequest,
  type DepthCount,
  type IntervalStatistics,
  inlineSweeper,
  type PooledRequest,
  pooledHistogram,
  type StatisticsColumns,
  type StatisticsRequest,
  type Sweeper,
  statistics,
  statisticsColumns,
  statisticsRows,
} from './statistics/statistics.js';
import { type D4Track, openTracks } from './track.js';

export interface OpenOptions {
  /** Does long work; by default on this thread, in slices. */
  sweeper?: Sweeper | undefined;
  /** For tests: the kernels to use instead of the best ones. */
  kernel?: KernelName | undefined;
  /** Opens local files; by default whatever is at the path. */
  openPath?: OpenPath | undefined;
  /** How to reach http(s) URLs. */
  http?: HttpOptions | undefined;
  /** How to reach s3:// names: its `fetch` makes signed requests of them. */
  s3?: HttpOptions | undefined;
  /** Bytes of decoded records to keep per track; 16 MiB by default. */
  cacheBytes?: number | undefined;
  /** Versions of files that were complete when they were opened before: their frames are not all followed again. */
  whole?: { get(version: string): true | undefined; set(version: string, whole: true): void } | undefined;
}

const maxParts = 1_000_000;

export interface ProfileRequest {
  interval: Interval;
  /** Parts of nearly equal length, in whole bases; fewer if the interval is shorter. */
  parts: number;
  /** Whether to find the least and greatest depth of each part as well. */
  range?: boolean | undefined;
  /** Accept chr1 for 1, M for MT and so on. */
  alias?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** Columns with one value for each part. A part ends where the next begins, the last at the end of the interval. */
export interface DepthProfile {
  begins: Uint32Array;
  /** Bases of the part that are inside the chromosome. */
  bases: Uint32Array;
  /** 0 for a part without bases. */
  means: Float64Array;
  /** Least and greatest depth; NaN for parts without bases; empty if not requested. */
  min: Float64Array;
  max: Float64Array;
}

/** An open D4 file. Its methods may be called concurrently. */
export class D4File {
  readonly source: Source;
  readonly tracks: readonly D4Track[];
  readonly #sweeper: Sweeper;

  constructor(source: Source, tracks: readonly D4Track[], options: OpenOptions = {}) {
    this.source = source;
    this.tracks = tracks;
    this.#sweeper = options.sweeper ?? inlineSweeper(options.kernel);
  }

  /** A track by its index; by default the first. Throws D4Error `invalid` if there is none. */
  track(place = 0): D4Track {
    const track = this.tracks[place];
    if (!track) throw new D4Error('invalid', `The file has no track ${place}`, this.source.name);
    return track;
  }

  /** The same file with the track of this name as its only one. Throws D4Error `invalid` if there is none. */
  only(name: string): D4File {
    const tracks = this.tracks.filter((track) => track.name === name);
    if (tracks.length > 0) return new D4File(this.source, tracks, { sweeper: this.#sweeper });
    const known = this.tracks.map((track) => (track.name === '' ? 'one without a name' : track.name)).join(', ');
    throw new D4Error('invalid', `The file has no track ${JSON.stringify(name)}; it has: ${known}`, this.source.name);
  }

  /** Statistics of intervals, one result each, in the order of the request. */
  statistics(request: StatisticsRequest, track = 0): Promise<IntervalStatistics[]> {
    return statistics(this.track(track), request, this.#sweeper);
  }

  /** The same in slices of about a thousand rows, so that not all are in memory. */
  rows(request: StatisticsRequest, track = 0): AsyncGenerator<IntervalStatistics[]> {
    return statisticsRows(this.track(track), request, this.#sweeper);
  }

  /** The same in columns, for very many intervals. */
  columns(request: ColumnsRequest, track = 0): Promise<StatisticsColumns> {
    return statisticsColumns(this.track(track), request, this.#sweeper);
  }

  /** The bases of each depth in all intervals together, ascending by depth; a base in two intervals counts twice. */
  histogram(request: PooledRequest, track = 0): Promise<DepthCount[]> {
    return pooledHistogram(this.track(track), request, this.#sweeper);
  }

  /** Depths along an interval, for a plot. Throws D4Error `invalid` unless there are 1 to a million parts. */
  async profile({ interval, parts, range, alias, signal }: ProfileRequest, track = 0): Promise<DepthProfile> {
    if (!(Number.isInteger(parts) && parts >= 1 && parts <= maxParts)) {
      throw new D4Error('invalid', `A profile has from 1 to ${maxParts} parts`, `${parts}`);
    }
    const intervals = interval.end > interval.begin ? bins(interval, parts) : [];
    const { means, min, max, bases } = await this.columns({ intervals, range, alias, signal }, track);
    return { begins: Uint32Array.from(intervals, ({ begin }) => begin), bases, means, min, max };
  }

  /**
   * Sixteen hexadecimal digits that change with the file: a hash of its size, its time or tag and its headers. For
   * reports and caches. It is not a checksum of the depths, for which the whole file would have to be read.
   */
  fingerprint(): string {
    return fingerprint(this.source, this.tracks);
  }

  /**
   * Follows all frames of a remote file to their ends, as for a local one when it is opened: hundreds of requests for a genome.
   * Throws D4Error `broken` or `truncated`.
   */
  async checkFrames(): Promise<void> {
    if (this.source.remote) await openTracks(this.source, { cacheBytes: 0, follow: true });
  }

  close(): void {
    this.source.close();
  }
}

const magic = 0xdddd3464;
/** The header, the root directory and the metadata of most tracks are within this. */
const headAhead = 64 * 1024;

/** Opens a D4 file by its path, http(s) URL or s3:// name. Throws D4Error. */
export async function openD4(location: string, options: OpenOptions = {}): Promise<D4File> {
  const source = await opened(location, options);
  try {
    return await openSource(source, options);
  } catch (error) {
    source.close();
    throw error;
  }
}

async function opened(location: string, { http, s3, openPath }: OpenOptions): Promise<Source> {
  if (/^https?:\/\//i.test(location)) return openHttp(location, http);
  if (!location.startsWith('s3://')) return openLocal(location, openPath);
  if (s3 === undefined) throw new D4Error('invalid', 'It is not known how to reach S3', location);
  return openHttp(location, { ...s3, singleRanges: true });
}

/** Opens a D4 file whose bytes come from anywhere. */
export async function openSource(source: Source, options: OpenOptions = {}): Promise<D4File> {
  const notD4 = () => new D4Error('not-d4', 'The bytes do not begin as a D4 file does', source.name);
  if (source.size < 8) throw notD4();
  const head = await readBytes(source, { offset: 0, length: 8, ahead: Math.min(headAhead, source.size) }, 'header');
  if (dataView(head).getUint32(0, true) !== magic) throw notD4();
  const { cacheBytes = 16 * 2 ** 20, whole } = options;
  const version = versionOfSource(source);
  const isKnown = version !== undefined && whole?.get(version) === true;
  const follow = !isKnown && !source.remote;
  const tracks = await openTracks(source, { cacheBytes, follow });
  const isWhole = tracks.every(({ warnings }) => !warnings.some(({ code }) => code === 'lost-records'));
  if (version !== undefined && follow && isWhole) whole?.set(version, true);
  return new D4File(source, tracks, options);
}

// A fingerprint that changes with the file.

/** Sixteen hexadecimal digits of a file's size, version and headers. */
function fingerprint({ size, version }: Source, tracks: readonly D4Track[]): string {
  const hash = createHash('sha256').update(JSON.stringify([size, version ?? null]));
  for (const { name, chromosomes, dictionary, denominator, primary } of tracks) {
    const { width, low, values } = dictionary;
    const names = chromosomes.map((chromosome) => [chromosome.name, chromosome.size]);
    hash.update(JSON.stringify([name, names, width, low ?? values, denominator, primary]));
  }
  return hash.digest('hex').slice(0, 16);
}

// Keeps D4 files open between questions.

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
  readonly #whole = new RecentlyUsed<true>(mostKnown);

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
