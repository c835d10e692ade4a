/** Where one value is among the others. */

/**
 * The percentage (0 to 100) of values that are less, and half of those that are equal (the mid-rank: `percentileofscore` of SciPy
 * with kind `mean`). So a fully covered exon in a cohort of fully covered exons is at 50, not at 0 or 100. NaN if there are no values.
 */
export function percentileOf(values: Float64Array, own: number): number {
  let [less, equal] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    // Without branches: processors cannot predict which values are less.
    less += Number(value < own);
    equal += Number(value === own);
  }
  return values.length === 0 ? Number.NaN : (50 * (2 * less + equal)) / values.length;
}
