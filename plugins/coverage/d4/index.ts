/** The library's public face: see README.md. */

export type { Interval } from './chromosomes.js';
export { contigFindings, detectBuild, findChromosome, type ReferenceBuild } from './chromosomes.js';
export { D4Error, type D4ErrorCode, isD4Error } from './error.js';
export {
  type CacheOptions,
  D4Cache,
  D4File,
  type DepthProfile,
  type OpenOptions,
  openD4,
  openSource,
  type ProfileRequest,
} from './file.js';
export type { D4Finding, D4Report } from './findings.js';
export type { D4Chromosome } from './metadata.js';
export { type Dictionary, dictionary, simpleRange } from './metadata.js';
export { D4Pool, type PoolOptions } from './node/pool/pool.js';
export { quickFindings, type VerifyOptions, verifyD4 } from './node/verify/verify.js';
export { type CreateOptions, createD4, type MergeInput, mergeD4, type WriteProgress } from './node/write/create.js';
export { type RunInput, type TextInputOptions, textInput } from './node/write/input.js';
export type { RunBatch } from './profile.js';
export { bins, depths, type ProfileOptions, runs, stretches } from './profile.js';
export type { HttpOptions } from './source/http.js';
export type { ByteSpan, ByteView, Source } from './source/source.js';
export { memorySource } from './source/source.js';
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
export type { D4Track, TrackWarning } from './track.js';
