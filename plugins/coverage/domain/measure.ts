/**
 * Measures targets in the D4 files of samples: the one place where depths become numbers. The JSON endpoints and the
 * pages both ask here, so that they cannot differ. One pass over each file, exact integers; everything else (means,
 * shares) is derived from them.
 */
import type { Fault } from '../../../core/plugin.js';
import type { D4File } from '../d4/file.js';
import type { Build } from '../d4/verify/contigs.js';
import type { List } from './list.js';
import type { Location } from './location.js';
import type { Region } from './region.js';

/** A sample to measure. */
export interface Sample {
  name: string;
  /** Its D4 file, as `CoverageSources.coverageFile` allowed it. */
  location: Location;
}

/** What is measured as one thing: a gene's span, a transcript's exons, one exon, a line of a BED file. */
export interface Target {
  /** Regions may overlap: every base counts once. Each holds at least one base. */
  regions: readonly Region[];
}

export interface Question<OneTarget extends Target = Target> {
  samples: readonly Sample[];
  targets: List<OneTarget>;
  /** Depths, in the files' own unit. Any order; the answer has them ascending and once each. */
  thresholds: readonly number[];
  /** The build that the targets' coordinates belong to; a file of another one is refused. */
  build?: Build | undefined;
  /** Whether to find each target's least, greatest and median depth (some times dearer than means and thresholds). */
  distribution?: boolean | undefined;
  /** Finds the stretches below this depth in each target; a second pass over what is asked. */
  gapsBelow?: number | undefined;
  /** Whether a sample whose file fails is left out, and told of in `failed`, instead of failing the others with it. */
  keepSound?: boolean | undefined;
  /** Stops the work; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** What was found about some bases of one sample. All counts are exact. */
export interface Depths {
  /** Distinct bases asked for. */
  length: number;
  /** Those of them that the file has; less than `length` only together with a warning. */
  measured: number;
  /** Sum of the depths of the measured bases, in the file's unit (an integer unless the file has a denominator). */
  sum: number;
  /** sum / length: what the file lacks counts as 0, as it reaches no threshold. 0 of no bases. */
  mean: number;
  /** Per threshold of the answer, the bases that reach it. What the file lacks reaches none. */
  reached: readonly number[];
  /** Of the measured bases: present where `distribution` was asked and there are some. The median is that of the closest ranks, linear between them. */
  min?: number;
  max?: number;
  median?: number;
  /** Present where `gapsBelow` was asked: as long as possible, in order. What the file lacks is part of them. */
  gaps?: readonly Region[];
}

/** What somebody who relies on the numbers must know. */
export interface Warning {
  code:
    | 'unknown-build' // the file's chromosomes fit neither build
    | 'contig-length' // single chromosomes do not have the build's length
    | 'missing-chromosome' // the file lacks a chromosome that is asked for
    | 'beyond-end' // an interval ends beyond its chromosome's end
    | 'lost-records' // the file's records are incomplete
    | 'capped' // depths pile up at the greatest value of the file's dictionary
    | 'odd-file' // readable, but not as it should be
    | 'several-tracks' // only the first track was read
    | 'little-evidence' // next to nothing of X was sequenced: the sex cannot be told
    | 'sex-mismatch' // X and Y speak for another sex than the declared one
    | 'female-y' // bases of Y are asked for in a female
    | 'same-file' // two samples were given one file
    | 'no-genes' // nothing was asked for, so that nothing was measured
    | 'not-included'; // the sample's file fails: nothing of it was measured
  /** One sentence for a person, without paths. */
  message: string;
}

export interface SampleDepths<Targets extends List<Depths> = List<Depths>> {
  name: string;
  file: FileIdentity;
  /** In the order of the question's targets. */
  targets: Targets;
  /** All targets together: every distinct base once. Without distribution and gaps. */
  pooled: Depths;
  warnings: readonly Warning[];
}

/** The file that was measured, apart from all others and from other versions of itself. */
export interface FileIdentity {
  fingerprint: string;
  /** Absent for bytes in memory. */
  version?: string;
}

/** A sample of which nothing was measured, and why. */
export interface FailedSample {
  name: string;
  fault: Fault;
}

export interface Measured<Targets extends List<Depths> = List<Depths>> {
  /** Ascending, once each: the order of every `reached`. */
  thresholds: readonly number[];
  /** In the order of the question's samples. */
  samples: readonly SampleDepths<Targets>[];
  /** The others, where `keepSound` was asked; without it there are none. */
  failed: readonly FailedSample[];
}

/** Opens allowed D4 files; see sources/. */
export interface DepthFiles {
  /** Works with an open file, which must not be used afterwards. Failures of the file are faults. */
  use<Result>(location: Location, work: (file: D4File) => Promise<Result>): Promise<Result>;
}

/**
 * Measures. Throws `unprocessable` where a file is of another build than the question or has no base of the targets,
 * or where there are more gaps than the limit; `too-large` where more is asked than the limit; and what `DepthFiles.use` throws.
 */
export type Measure = (question: Question) => Promise<Measured<readonly Depths[]>>;

/** The same in bounded memory, for very many targets: their depths are kept in columns and made where they are looked at. */
export type MeasureColumns = (question: Question) => Promise<Measured>;

/** Share of the bases, 0 to 1, that reach the threshold at this place of `Measured.thresholds`; 0 of no bases. */
export function completeness(depths: Pick<Depths, 'length' | 'reached'>, threshold: number): number {
  return depths.length === 0 ? 0 : (depths.reached[threshold] ?? 0) / depths.length;
}

/** Whether every base reaches the threshold at this place: decided by the counts, never by a rounded share. */
export function isComplete(depths: Pick<Depths, 'length' | 'reached'>, threshold: number): boolean {
  return depths.length > 0 && depths.reached[threshold] === depths.length;
}

/** The unweighted mean of the targets' means, as older programs report it; 0 of none. */
export function meanOfTargets({ targets }: SampleDepths): number {
  let sum = 0;
  for (const { mean } of targets) sum += mean;
  return targets.length === 0 ? 0 : sum / targets.length;
}

/** A percentage of two decimals that is 100 only for a share of exactly 1, and 0 only for 0. */
export function percentOf(share: number): number {
  const rounded = Math.round(share * 10_000) / 100;
  if (share < 1 && rounded >= 100) return 99.99;
  if (share > 0 && rounded <= 0) return 0.01;
  return rounded;
}
