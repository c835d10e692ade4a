/**
 * Compares one sample with its cohort at one target, or at several together (a gene's, a panel's). Of a low-coverage region it
 * states whether it is low in every sample of the assay or in this one: an annotation that shows a reader where to look, which
 * never calls, counts or rules out a copy-number variant.
 */
import type { Depths } from '../measure/measure.js';
import {
  type CohortStatement,
  normalisedDepth,
  robustZ,
  type Spread,
  spreadOfValues,
  statementOfCohort,
} from './statistics.js';
import type { TargetValues } from './values.js';

/** A sample's own figures beside those of its cohort. */
export interface TargetComparison {
  /** Whether only samples with the same sex chromosomes are compared. */
  isOfOneSex: boolean;
  /** Samples that are compared. */
  n: number;
  /** Of normalised depths; omitted if that of the sample is unknown. */
  depth?: {
    /** Of the sample. */
    own: number;
    statement: CohortStatement;
    /** To the median of the cohort; omitted if that is 0. */
    ratio?: number;
    z?: number;
    /** Samples of the cohort that are outliers as low as a deletion would be. */
    others: number;
  };
  /** Shares of bases at or above the coverage threshold, 0 to 1; omitted if the threshold is not among the stored ones. */
  completeness?: { own: number; statement: CohortStatement };
}

/** Values at one target, by column, and which columns are those of the cohort. */
interface ComparedValues {
  values: Pick<TargetValues, 'length' | 'means' | 'reached'>;
  medians: Float64Array;
  /** Columns of the cohort. */
  columns: Int32Array;
  isOfOneSex: boolean;
}

/** The figures of the sample itself. */
export interface OwnFigures {
  mean: number;
  /** Bases at or above the coverage threshold. */
  reached: number;
  /** The divisor of its depths; undefined if it is unknown. */
  median: number | undefined;
}

export function compareTarget(
  own: OwnFigures,
  { values, medians, columns, isOfOneSex }: ComparedValues,
): TargetComparison {
  const { length, means, reached } = values;
  const ownDepth = own.median === undefined ? undefined : normalisedDepth(own.mean, own.median);
  const [shares] = reached;
  return {
    isOfOneSex,
    n: columns.length,
    ...(ownDepth === undefined ? {} : { depth: depthOf(ownDepth, depthsIn(columns, means, medians)) }),
    ...(shares === undefined || length === 0
      ? {}
      : {
          completeness: {
            own: own.reached / length,
            statement: statementOfCohort(sharesIn(columns, shares, length), own.reached / length),
          },
        }),
  };
}

function depthOf(own: number, cohort: Float64Array): NonNullable<TargetComparison['depth']> {
  const statement = statementOfCohort(cohort, own);
  const spread = 'values' in statement ? spreadOfValues(cohort) : spreadOfValues(cohort, statement.median);
  const ratio = ratioTo(own, spread);
  const z = robustZ(own, spread);
  let others = 0;
  for (let i = 0; i < cohort.length; i++) {
    const depth = cohort[i] as number;
    const theirs = ratioTo(depth, spread);
    // Most samples are not as low, and the rest takes longer.
    if (theirs === undefined || theirs >= lowRatio) continue;
    const theirZ = robustZ(depth, spread);
    if (theirZ !== undefined && isLow({ ratio: theirs, z: theirZ })) others += 1;
  }
  return { own, statement, ...(ratio === undefined ? {} : { ratio }), ...(z === undefined ? {} : { z }), others };
}

function ratioTo(depth: number, { median }: Spread): number | undefined {
  return median > 0 ? depth / median : undefined;
}

/** The normalised depths of the columns in which they are known. */
function depthsIn(columns: Int32Array, means: Float64Array, medians: Float64Array): Float64Array {
  const found = new Float64Array(columns.length);
  let count = 0;
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i] as number;
    const depth = normalisedDepth(means[column] as number, medians[column] as number);
    if (depth !== undefined) found[count++] = depth;
  }
  return found.subarray(0, count);
}

function sharesIn(columns: Int32Array, reached: Float64Array, length: number): Float64Array {
  const found = new Float64Array(columns.length);
  for (let i = 0; i < columns.length; i++) found[i] = (reached[columns[i] as number] as number) / length;
  return found;
}

// The values of several targets together: a gene's, or a panel's.

/** Adds up targets that share no base; exact, as each value is a count or a sum of depths over a length. */
export class Sums {
  #length = 0;
  #isOfOneSex = false;
  /** Targets without values. */
  #missing = 0;
  readonly #sums: Float64Array;
  readonly #reached: Float64Array;
  #hasReached = true;

  constructor(samples: number) {
    this.#sums = new Float64Array(samples);
    this.#reached = new Float64Array(samples);
  }

  get isOfOneSex(): boolean {
    return this.#isOfOneSex;
  }

  add(values: TargetValues | undefined, isOfOneSex: boolean): void {
    this.#isOfOneSex ||= isOfOneSex;
    if (values === undefined) {
      this.#missing += 1;
      return;
    }
    const { length, means, reached } = values;
    const [shares] = reached;
    this.#hasReached &&= shares !== undefined;
    this.#length += length;
    for (let i = 0; i < means.length; i++) {
      this.#sums[i] = (this.#sums[i] as number) + (means[i] as number) * length;
      if (shares !== undefined) this.#reached[i] = (this.#reached[i] as number) + (shares[i] as number);
    }
  }

  /** Undefined unless all targets have values and together have as many bases as `length`: then some share bases. */
  values(length: number): Pick<TargetValues, 'length' | 'means' | 'reached'> | undefined {
    if (this.#missing > 0 || this.#length !== length || length === 0) return undefined;
    return {
      length,
      means: this.#sums.map((sum) => sum / length),
      reached: this.#hasReached ? [this.#reached] : [],
    };
  }
}

/** The sample's own figures of targets that share no base. */
export function ownSums(all: readonly (Depths | undefined)[], level: number, median: number | undefined): OwnFigures {
  let [sum, reached, length] = [0, 0, 0];
  for (const depths of all) {
    if (depths === undefined) continue;
    sum += depths.sum;
    reached += depths.reached[level] ?? 0;
    length += depths.length;
  }
  return { mean: length === 0 ? 0 : sum / length, reached, median };
}

// Of which kind a low-coverage region is.

/**
 * - `possible-deletion`: this sample only; a dropout or a deletion, to be looked at;
 * - `assay`: usually poor in this assay;
 * - `sample`: poor in this sample;
 * - `usual`: poor, but within the range of the assay;
 * - `unknown`: there is too little to compare with.
 */
const gapKinds = ['possible-deletion', 'assay', 'sample', 'usual', 'unknown'] as const;
export type GapKind = (typeof gapKinds)[number];

/** A z from which a value is an outlier, in either direction. */
export const outlyingZ = 3;
/** Ratio to the cohort's median below which a depth is low: between both copies (1) and one of them (0.5). */
export const lowRatio = 0.7;
/** Samples below which no sample is compared with the others' depth. */
export const leastForZ = 10;
/** Median completeness below which an interval is poor in the assay. */
const poorMedian = 0.95;

/** The interval of a gap, in the sample and in its cohort. */
export interface GapEvidence {
  /** Of the sample, from its normalised depth; omitted if the depths cannot be compared. */
  depth?: DepthEvidence;
  /** Share of bases at the coverage threshold; omitted if the cohort has too few samples for percentiles, or not this threshold. */
  completeness?: { own: number; median: number; low: number };
}

interface DepthEvidence {
  /** Normalised depth, divided by the cohort's median. */
  ratio: number;
  /** Robust z; omitted if the MAD of the cohort is 0. */
  z?: number;
  /** Samples of the cohort that are outliers as low as `isLow` says. */
  others: number;
}

export interface GapFinding extends GapEvidence {
  kind: GapKind;
  /** Usually poor in this assay, whatever the kind. */
  isUsual: boolean;
}

function isLow({ ratio, z }: Pick<DepthEvidence, 'ratio' | 'z'>): boolean {
  return ratio < lowRatio && z !== undefined && z < -outlyingZ;
}

/**
 * An outlier that no other sample shares comes first: an interval that is usually poor may be deleted as well. "Usually poor"
 * needs a median completeness below 95 %, "poor in this sample" one below the 5th percentile of the cohort.
 */
export function gapFinding(evidence: GapEvidence): GapFinding {
  const { depth, completeness } = evidence;
  const isUsual = completeness !== undefined && completeness.median < poorMedian;
  return { ...evidence, kind: kindOf(), isUsual };

  function kindOf(): GapKind {
    const isOutlier = depth !== undefined && isLow(depth);
    if (isOutlier && depth.others === 0) return 'possible-deletion';
    if (isUsual) return 'assay';
    if (isOutlier || (completeness !== undefined && completeness.own < completeness.low)) return 'sample';
    return completeness === undefined ? 'unknown' : 'usual';
  }
}
