/** Compares one sample with its cohort at one target. */
import type { TargetValues } from '../cohorts/values.js';
import { isLow, lowRatio } from './gap-finding.js';
import { normalisedDepth } from './normalised-depth.js';
import { robustZ, type Spread, spreadOf } from './spread.js';
import { type Statement, statementOf } from './statement.js';

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
    statement: Statement;
    /** To the median of the cohort; omitted if that is 0. */
    ratio?: number;
    z?: number;
    /** Samples of the cohort that are outliers as low as a deletion would be. */
    others: number;
  };
  /** Shares of bases at or above the coverage threshold, 0 to 1; omitted if the threshold is not among the stored ones. */
  completeness?: { own: number; statement: Statement };
}

/** Values at one target, by column, and which columns are those of the cohort. */
export interface ComparedValues {
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
            statement: statementOf(sharesIn(columns, shares, length), own.reached / length),
          },
        }),
  };
}

function depthOf(own: number, cohort: Float64Array): NonNullable<TargetComparison['depth']> {
  const statement = statementOf(cohort, own);
  const spread = 'values' in statement ? spreadOf(cohort) : spreadOf(cohort, statement.median);
  const ratio = ratioTo(own, spread);
  const z = robustZ(own, spread);
  let others = 0;
  for (let i = 0; i < cohort.length; i++) {
    const depth = cohort[i] as number;
    const theirs = ratioTo(depth, spread);
    // Most are not: what follows takes longer.
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
