/** What is stated of a cohort beside a sample's own figure. */
import { percentileOf } from './percentile.js';
import { ascending, quantile } from './quantile.js';

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

export function statementOf(cohort: Iterable<number>, own: number | undefined): Statement {
  const sorted = ascending(cohort);
  const n = sorted.length;
  if (n < leastForPercentiles) return { n, values: [...sorted] };
  return {
    n,
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.05),
    high: quantile(sorted, 0.95),
    ...(own === undefined ? {} : { percentile: percentileOf(sorted, own) }),
  };
}
