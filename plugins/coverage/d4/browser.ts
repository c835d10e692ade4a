/** Door `trefoil/d4/browser`: what of the library runs in a page, which reads files and neither writes nor verifies them. */
import { D4Error } from './error.js';
import { type OpenOptions, openOn } from './open.js';
import { inflate } from './secondary/inflate.js';
import { openHttp } from './source/http.js';

export {
  builds,
  chromosomeIndex,
  contigFindings,
  detectBuild,
  findChromosome,
  type Interval,
  type IntervalColumns,
  type IntervalList,
  type ReferenceBuild,
  sizeIn,
  spelledLike,
} from './chromosomes.js';
export { D4Error, type D4ErrorCode, isD4Error } from './error.js';
export { D4File, type DepthProfile, type ProfileRequest } from './file.js';
export type { D4Finding } from './findings.js';
export type { D4Chromosome, Dictionary } from './metadata.js';
export type { FileLocation, OpenOptions } from './open.js';
export { bins, depths, type ProfileOptions, type RunBatch, runs, stretches } from './profile.js';
export type { FileHandle } from './source/handle.js';
export type { Fetch, HttpOptions } from './source/http.js';
export type { ByteSpan, ByteView, Source } from './source/source.js';
export type {
  ColumnsRequest,
  DepthCount,
  IntervalStatistics,
  PooledRequest,
  RunsRequest,
  StatisticsColumns,
  StatisticsRequest,
  Sweeper,
} from './statistics/statistics.js';
export type { DepthTest } from './statistics/sweep.js';
export { type D4Track, quickFindings, type TrackWarning } from './track.js';

/** By default, requests are those that a server of another origin need not permit first. */
const http = { unasked: true };

/** Opens a D4 file. A text without a scheme is a URL relative to that of the page. Throws D4Error. */
export const openD4 = openOn<OpenOptions>({
  http,
  inflate,
  async openPath(path, options) {
    const base = (globalThis as { location?: { href: string } }).location?.href;
    const text = String(path);
    const url = URL.canParse(text, base) ? new URL(text, base) : undefined;
    if (url && /^https?:$/.test(url.protocol)) return openHttp(url.href, { ...http, ...options.http }, options.signal);
    throw new D4Error('invalid', 'A page reads http and https URLs, Blobs and file handles', text);
  },
});
