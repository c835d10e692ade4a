/** Compares one sample with its cohort at one target. */
import type { TargetValues } from '../cohorts/values.js';
import { isLow } from './gap-finding.js';
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
  const at = (column: number) => normalisedDepth(means[column] as number, medians[column] as number);
  const ownDepth = own.median === undefined ? undefined : normalisedDepth(own.mean, own.median);
  const [shares] = reached;
  return {
    isOfOneSex,
    n: columns.length,
    ...(ownDepth === undefined ? {} : { depth: depthOf(ownDepth, definedOf(columns, at)) }),
    ...(shares === undefined || length === 0
      ? {}
      : {
          completeness: {
            own: own.reached / length,
            statement: statementOf(
              definedOf(columns, (column) => (shares[column] as number) / length),
              own.reached / length,
            ),
          },
        }),
  };
}

function depthOf(own: number, cohort: Float64Array): NonNullable<TargetComparison['depth']> {
  const statement = statementOf(cohort, own);
  const spread = spreadOf(cohort);
  const ratio = ratioTo(own, spread);
  const z = robustZ(own, spread);
  let others = 0;
  for (const depth of cohort) {
    // Most are not: what follows takes longer.
    if (depth >= spread.median) continue;
    const theirs = robustZ(depth, spread);
    if (theirs !== undefined && isLow({ ratio: ratioTo(depth, spread) ?? 1, z: theirs })) others += 1;
  }
  return { own, statement, ...(ratio === undefined ? {} : { ratio }), ...(z === undefined ? {} : { z }), others };
}

function ratioTo(depth: number, { median }: Spread): number | undefined {
  return median > 0 ? depth / median : undefined;
}

/** The values that are known, of these columns. */
function definedOf(columns: Int32Array, at: (column: number) => number | undefined): Float64Array {
  const found = new Float64Array(columns.length);
  let count = 0;
  for (const column of columns) {
    const value = at(column);
    if (value !== undefined) found[count++] = value;
  }
  return found.subarray(0, count);
}
