/** Door `trefoil/d4`: all of the library in Node.js; see README.md. `trefoil/d4/browser` is what of it runs in a page. */

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
export { D4File, type DepthProfile, type ProfileRequest, RecentlyUsed, versionOfSource } from './file.js';
export type { D4Finding, D4Report } from './findings.js';
export { type D4Chromosome, type Dictionary, dictionary, simpleRange } from './metadata.js';
export {
  type CacheOptions,
  D4Cache,
  fingerprintD4,
  type NodeOpenOptions,
  type OpenPath,
  openD4,
} from './node/files.js';
export { D4Pool, type PoolOptions } from './node/pool/pool.js';
export { type VerifyOptions, verifyD4 } from './node/verify/verify.js';
export { type CreateOptions, createD4, type MergeInput, mergeD4, type WriteProgress } from './node/write/create.js';
export { type RunInput, type RunStream, type TextInputOptions, textInput } from './node/write/input.js';
export { parseRuns, type TextFormat, type TextOptions } from './node/write/text.js';
export type { FileLocation, OpenOptions } from './open.js';
export { bins, depths, type ProfileOptions, type RunBatch, runs, stretches } from './profile.js';
export type { FileHandle } from './source/handle.js';
export type { Fetch, HttpOptions } from './source/http.js';
export {
  type ByteSpan,
  type ByteView,
  memorySource,
  type Source,
} from './source/source.js';
export { type DepthExcess, type ExcessRequest, firstExcess } from './statistics/excess.js';
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
