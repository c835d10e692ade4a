/** The centre and the width of a cohort, and the distance of a value from it, that outliers do not move. */
import { quantile } from './quantile.js';

/** Makes the median absolute deviation of a normal distribution its standard deviation: 1/Φ⁻¹(3/4), rounded as is usual. */
export const normalConsistency = 1.4826;

export interface Spread {
  median: number;
  /** Median absolute deviation from the median, as it is. */
  mad: number;
}

/** The median may be known already. */
export function spreadOf(values: Float64Array, median = quantile(values, 0.5)): Spread {
  const deviations = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) deviations[i] = Math.abs((values[i] as number) - median);
  return { median, mad: quantile(deviations, 0.5) };
}

/**
 * (value − median) / (1.4826 · MAD): Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993. Undefined if the MAD is 0, as
 * it is if more than half of the cohort have one value: any other value would be infinitely far away.
 */
export function robustZ(value: number, { median, mad }: Spread): number | undefined {
  return mad > 0 ? (value - median) / (normalConsistency * mad) : undefined;
}
