/** Opens a D4 file and answers questions about its depths. */
import { D4Error } from './error.js';
import { fingerprint } from './fingerprint.js';
import type { Interval } from './interval.js';
import type { KernelName } from './kernel/choose.js';
import { bins } from './profile/profile.js';
import { type HttpOptions, openHttp } from './source/http.js';
import { type OpenPath, openLocal } from './source/local.js';
import { dataView, readBytes } from './source/read.js';
import { type Source, versionOf } from './source/source.js';
import { type ColumnsRequest, type StatisticsColumns, statisticsColumns } from './statistics/columns.js';
import {
  type IntervalStatistics,
  inlineSweeper,
  type StatisticsRequest,
  type Sweeper,
  statistics,
  statisticsRows,
} from './statistics/statistics.js';
import { openTracks, type Track } from './track.js';

export interface OpenOptions {
  /** Where long work is done; by default on this thread, in slices. */
  sweeper?: Sweeper | undefined;
  /** For tests: the kernels to use instead of the best ones. */
  kernel?: KernelName | undefined;
  /** How local files are opened; by default whatever the path leads to. */
  openPath?: OpenPath | undefined;
  /** How to reach http(s) URLs. */
  http?: HttpOptions | undefined;
  /** Bytes of decoded records to keep per track; 16 MiB by default. */
  cacheBytes?: number | undefined;
  /** Versions of files that were found whole when they were opened before: not all of their frames are followed again. */
  whole?: { get(version: string): true | undefined; set(version: string, whole: true): void } | undefined;
}

const maxParts = 1_000_000;

export interface ProfileRequest {
  interval: Interval;
  /** Parts of as equal length as whole bases allow; fewer when the interval is shorter. */
  parts: number;
  /** Whether to find the least and greatest depth of each part as well. */
  range?: boolean | undefined;
  /** Accept chr1 for 1, M for MT and so on. */
  alias?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** Part by part, in columns; each part ends where the next begins, the last where the interval does. */
export interface DepthProfile {
  begins: Uint32Array;
  /** Bases of the part that lie inside the chromosome. */
  bases: Uint32Array;
  /** 0 for a part without bases. */
  means: Float64Array;
  /** Least and greatest depth, NaN where there are no bases; without entries when not asked. */
  min: Float64Array;
  max: Float64Array;
}

/** An open D4 file. Any number of questions may be asked at the same time. */
export class D4File {
  readonly source: Source;
  readonly tracks: readonly Track[];
  readonly #sweeper: Sweeper;

  constructor(source: Source, tracks: readonly Track[], options: OpenOptions = {}) {
    this.source = source;
    this.tracks = tracks;
    this.#sweeper = options.sweeper ?? inlineSweeper(options.kernel);
  }

  /** A track by its place, the first by default. Throws D4Error `invalid` when there is none. */
  track(place = 0): Track {
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

  /** Statistics of intervals, one result each in the order asked. */
  statistics(request: StatisticsRequest, track = 0): Promise<IntervalStatistics[]> {
    return statistics(this.track(track), request, this.#sweeper);
  }

  /** The same in slices of about a thousand rows, so that very many are never held at once. */
  rows(request: StatisticsRequest, track = 0): AsyncGenerator<IntervalStatistics[]> {
    return statisticsRows(this.track(track), request, this.#sweeper);
  }

  /** The same in columns, for very many intervals. */
  columns(request: ColumnsRequest, track = 0): Promise<StatisticsColumns> {
    return statisticsColumns(this.track(track), request, this.#sweeper);
  }

  /** Depths along an interval, for a plot. Throws D4Error `invalid` for no or more than a million parts. */
  async profile({ interval, parts, range, alias, signal }: ProfileRequest, track = 0): Promise<DepthProfile> {
    if (!(Number.isInteger(parts) && parts >= 1 && parts <= maxParts)) {
      throw new D4Error('invalid', `A profile has from 1 to ${maxParts} parts`, `${parts}`);
    }
    const intervals = interval.end > interval.begin ? bins(interval, parts) : [];
    const { means, min, max, bases } = await this.columns({ intervals, range, alias, signal }, track);
    return { begins: Uint32Array.from(intervals, ({ begin }) => begin), bases, means, min, max };
  }

  /**
   * Sixteen hexadecimal digits that change with the file: of its size, its time or tag and its headers. For reports and caches; it is no
   * checksum of the depths, which would have to be read all.
   */
  fingerprint(): string {
    return fingerprint(this.source, this.tracks);
  }

  close(): void {
    this.source.close();
  }
}

const magic = 0xdddd3464;
/** A header, a root directory and most tracks' metadata lie within this. */
const headAhead = 64 * 1024;

/** Opens a D4 file by its path or http(s) URL. Throws D4Error. */
export async function openD4(location: string, options: OpenOptions = {}): Promise<D4File> {
  const source = await (/^https?:\/\//i.test(location)
    ? openHttp(location, options.http)
    : openLocal(location, options.openPath));
  try {
    return await openSource(source, options);
  } catch (error) {
    source.close();
    throw error;
  }
}

/** Opens a D4 file whose bytes come from anywhere. */
export async function openSource(source: Source, options: OpenOptions = {}): Promise<D4File> {
  const notD4 = () => new D4Error('not-d4', 'The bytes do not begin as a D4 file does', source.name);
  if (source.size < 8) throw notD4();
  const head = await readBytes(source, { offset: 0, length: 8, ahead: Math.min(headAhead, source.size) }, 'header');
  if (dataView(head).getUint32(0, true) !== magic) throw notD4();
  const { cacheBytes = 16 * 2 ** 20, whole } = options;
  const version = versionOf(source);
  const tracks = await openTracks(source, { cacheBytes, follow: version === undefined || !whole?.get(version) });
  const isWhole = tracks.every(({ warnings }) => !warnings.some(({ code }) => code === 'lost-records'));
  if (version !== undefined && isWhole) whole?.set(version, true);
  return new D4File(source, tracks, options);
}
