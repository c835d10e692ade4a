/** The library's public face: see README.md. */
export { type CacheOptions, D4Cache } from './cache.js';
export { type Dictionary, dictionary, simpleRange } from './dictionary.js';
export { D4Error, type D4ErrorCode, isD4Error } from './error.js';
export { D4File, type DepthProfile, type OpenOptions, openD4, openSource, type ProfileRequest } from './file.js';
export type { Interval } from './interval.js';
export type { Chromosome } from './metadata.js';
export { findChromosome } from './names.js';
export { D4Pool, type PoolOptions } from './pool/pool.js';
export { bins, depths, type ProfileOptions, runs, stretches } from './profile/profile.js';
export type { RunBatch } from './profile/runs.js';
export type { HttpOptions } from './source/http.js';
export { memorySource } from './source/memory.js';
export type { Source, Span, View } from './source/source.js';
export type { ColumnsRequest, StatisticsColumns } from './statistics/columns.js';
export type { PooledRequest } from './statistics/pooled.js';
export type { DepthTest } from './statistics/seek.js';
export type {
  DepthCount,
  IntervalStatistics,
  RunsRequest,
  StatisticsRequest,
  Sweeper,
} from './statistics/statistics.js';
export type { Track, TrackWarning } from './track.js';
export { type Build, contigFindings, detectBuild } from './verify/contigs.js';
export type { Finding, Report } from './verify/report.js';
export { quickFindings, type VerifyOptions, verifyD4 } from './verify/verify.js';
export { type CreateOptions, createD4, type Progress } from './write/create.js';
export { type RunInput, type TextInputOptions, textInput } from './write/input.js';
export { type MergeInput, mergeD4 } from './write/merge.js';
