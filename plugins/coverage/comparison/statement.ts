/** What is stated of a cohort beside a sample's own figure. */
import { percentileOf } from './percentile.js';
import { quantiles } from './quantile.js';

/** Samples below which the values themselves are stated: percentiles of fewer would look more exact than they are. */
export const leastForPercentiles = 20;

export type Statement =
  | {
      /** Samples of the cohort, without the one it is compared with. */
      n: number;
      median: number;
      /** The 5th and the 95th percentile of the cohort. */
      low: number;
      high: number;
      /** The percentile of the sample itself, 0 to 100; omitted if its value is unknown. */
      percentile?: number;
    }
  | {
      n: number;
      /** Ascending, and without any names: fewer than `leastForPercentiles`. */
      values: readonly number[];
    };

export function statementOf(cohort: Float64Array, own: number | undefined): Statement {
  const n = cohort.length;
  if (n < leastForPercentiles) return { n, values: [...cohort.toSorted()] };
  const [median = Number.NaN, low = Number.NaN, high = Number.NaN] = quantiles(cohort, [0.5, 0.05, 0.95]);
  return {
    n,
    median,
    low,
    high,
    ...(own === undefined ? {} : { percentile: percentileOf(cohort, own) }),
  };
}
