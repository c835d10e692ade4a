/** Where one value is among the others. */

/**
 * The percentage (0 to 100) of values that are less, and half of those that are equal (the mid-rank: `percentileofscore` of SciPy
 * with kind `mean`). So a fully covered exon in a cohort of fully covered exons is at 50, not at 0 or 100. NaN if there are no values.
 */
export function percentileOf(values: Float64Array, own: number): number {
  let twice = 0;
  for (const value of values) twice += value < own ? 2 : value === own ? 1 : 0;
  return values.length === 0 ? Number.NaN : (50 * twice) / values.length;
}
