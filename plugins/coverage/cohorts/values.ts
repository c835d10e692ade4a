/** The values of registered samples at the targets of a report, to compare a sample with others. */
import type { Build } from '../contract.js';
import type { List } from '../domain/list.js';
import type { Target } from '../domain/measure.js';
import type { Region } from '../domain/region.js';

export interface CohortQuestion {
  build: Build;
  /**
   * As reports measure them: the span of a gene, the exons of a transcript, one exon of the current interval sets. Each must
   * have at least one region.
   */
  targets: readonly Target[];
  /** Depths whose completeness is wanted. */
  thresholds: readonly number[];
  /** Ids of registered samples, each once; all that have values if omitted. */
  samples?: readonly string[];
}

export interface CohortValues {
  /** The samples that have values, in the order of all columns below; in the order of the question if it names samples. */
  samples: readonly string[];
  /** Those of the question that are stored, ascending. */
  thresholds: readonly number[];
  /**
   * In the order of the question; undefined for a target that is not among the current intervals of the build. Each is created
   * anew when it is read: those of a panel together take several times the memory of their blocks.
   */
  targets: List<TargetValues | undefined>;
  /**
   * For each sample, the median of the mean depths of the autosomal exons with depth: the divisor of normalised depths. NaN if
   * no such exon has depth.
   */
  medians: Float64Array;
}

/** Exact: equal, to the last digit, to what a report computes from the file of the sample. */
export interface TargetValues {
  /** Distinct bases of the target. */
  length: number;
  /** For each sample the mean depth. */
  means: Float64Array;
  /** For each threshold and sample, the bases with at least this depth; divide by `length`. */
  reached: readonly Float64Array[];
}

export interface Cohorts {
  /**
   * Samples whose file changed or fails, and those whose values are not computed yet, have none. Throws an `unavailable` fault
   * if stored values are damaged.
   */
  values(question: CohortQuestion, signal: AbortSignal): Promise<CohortValues>;
  /** The distinct autosomal exons of the current interval sets, by chromosome and start: targets of one region each. */
  exons(build: Build, signal: AbortSignal): Promise<readonly Region[]>;
  /** The same of coding segments with their splice bases; none if no coding sequences are loaded. */
  coding(build: Build, signal: AbortSignal): Promise<readonly Region[]>;
}
