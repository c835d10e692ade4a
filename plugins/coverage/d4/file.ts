/** An open D4 file, which answers questions about its depths. */
import { checkObject, checkOptions, checkWhole, type Interval, locate } from './chromosomes.js';
import { D4Error, refuse, shown } from './error.js';
import { bins } from './profile.js';
import type { Inflate } from './secondary/records.js';
import type { Source } from './source/source.js';
import {
  type ColumnsRequest,
  type DepthCount,
  type IntervalStatistics,
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

/** What a file is read with. */
interface FileTools {
  sweeper: Sweeper;
  inflate: Inflate;
}

const maxParts = 1_000_000;
/** The columns of a profile hold no greater position, and no chromosome has one. */
const maxPosition = 2 ** 32 - 1;

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
  readonly #tools: FileTools;

  constructor(source: Source, tracks: readonly D4Track[], tools: FileTools) {
    this.source = source;
    this.tracks = tracks;
    this.#tools = tools;
  }

  /** A track by its index; by default the first. Throws D4Error `invalid` if there is none. */
  track(place = 0): D4Track {
    const track = Number.isInteger(place) ? this.tracks[place] : undefined;
    if (!track) throw new D4Error('invalid', `The file has no track ${shown(place)}`, this.source.name);
    return track;
  }

  /** The same file with the track of this name as its only one. Throws D4Error `invalid` if there is none. */
  only(name: string): D4File {
    const tracks = this.tracks.filter((track) => track.name === name);
    if (tracks.length > 0) return new D4File(this.source, tracks, this.#tools);
    const known = this.tracks.map((track) => (track.name === '' ? 'one without a name' : track.name)).join(', ');
    throw new D4Error('invalid', `The file has no track ${shown(name)}; it has: ${known}`, this.source.name);
  }

  /** Statistics of intervals, one result each, in the order of the request. */
  statistics(request: StatisticsRequest, track = 0): Promise<IntervalStatistics[]> {
    return statistics(this.track(track), request, this.#tools.sweeper);
  }

  /** The same in slices of about a thousand rows, so that not all are in memory. */
  rows(request: StatisticsRequest, track = 0): AsyncGenerator<IntervalStatistics[]> {
    return statisticsRows(this.track(track), request, this.#tools.sweeper);
  }

  /** The same in columns, for very many intervals. */
  columns(request: ColumnsRequest, track = 0): Promise<StatisticsColumns> {
    return statisticsColumns(this.track(track), request, this.#tools.sweeper);
  }

  /** The bases of each depth in all intervals together, ascending by depth; a base in two intervals counts twice. */
  histogram(request: PooledRequest, track = 0): Promise<DepthCount[]> {
    return pooledHistogram(this.track(track), request, this.#tools.sweeper);
  }

  /** Depths along an interval, for a plot. Throws D4Error `invalid` unless there are 1 to a million parts. */
  async profile(request: ProfileRequest, track = 0): Promise<DepthProfile> {
    checkObject('request', request);
    const { interval, parts, range, alias, signal } = request;
    checkWhole('parts', parts, 1, maxParts);
    locate(this.track(track), interval, alias);
    if (interval.end > maxPosition) refuse('The end of a profile', `at most ${maxPosition}`, interval.end);
    const intervals = bins(interval, parts);
    const { means, min, max, bases } = await this.columns({ intervals, range, alias, signal }, track);
    return { begins: Uint32Array.from(intervals, ({ begin }) => begin), bases, means, min, max };
  }

  /**
   * Follows all frames of a remote file to their ends, as for a local one when it is opened: hundreds of requests for a genome.
   * Throws D4Error `broken` or `truncated`.
   */
  async checkFrames(options: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    checkOptions(options);
    const { signal } = options;
    const { inflate } = this.#tools;
    signal?.throwIfAborted();
    if (this.source.remote) await openTracks(this.source, { cacheBytes: 0, follow: true, inflate, signal });
  }

  close(): void {
    this.source.close();
  }
}

// What identifies a version of a file, and a memory for what is known of versions.

/** Identifies a version of a file among all files and versions; undefined for bytes in memory. */
export function versionOfSource(source: Source): string | undefined {
  checkObject('source', source);
  const { name, local, size, version } = source;
  if (local) return JSON.stringify([local.device, local.inode, size, local.modified]);
  return version === undefined ? undefined : JSON.stringify([name, size, version]);
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
