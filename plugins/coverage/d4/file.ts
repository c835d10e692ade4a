import { D4Error } from './error.js';
import type { KernelName } from './kernel/choose.js';
import { type HttpOptions, openHttp } from './source/http.js';
import { openLocal } from './source/local.js';
import { dataView, readBytes } from './source/read.js';
import type { Source } from './source/source.js';
import { type ColumnsRequest, type StatisticsColumns, statisticsColumns } from './statistics/columns.js';
import {
  type IntervalStatistics,
  inlineSweeper,
  type StatisticsRequest,
  type Sweeper,
  statistics,
} from './statistics/statistics.js';
import { openTracks, type Track } from './track.js';

export interface OpenOptions {
  /** Where long work is done; by default on this thread, in slices. */
  sweeper?: Sweeper | undefined;
  /** For tests: the kernels to use instead of the best ones. */
  kernel?: KernelName | undefined;
  /** How to reach http(s) URLs. */
  http?: HttpOptions | undefined;
  /** Bytes of decoded records to keep per track; 16 MiB by default. */
  cacheBytes?: number | undefined;
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

  /** Statistics of intervals, one result each in the order asked. */
  statistics(request: StatisticsRequest, track = 0): Promise<IntervalStatistics[]> {
    return statistics(this.track(track), request, this.#sweeper);
  }

  /** The same in columns, for very many intervals. */
  columns(request: ColumnsRequest, track = 0): Promise<StatisticsColumns> {
    return statisticsColumns(this.track(track), request, this.#sweeper);
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
  const source = /^https?:\/\//i.test(location) ? await openHttp(location, options.http) : openLocal(location);
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
  const tracks = await openTracks(source, options.cacheBytes ?? 16 * 2 ** 20);
  return new D4File(source, tracks, options);
}
