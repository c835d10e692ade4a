/** Where one value is among the others. */

/**
 * The percentage (0 to 100) of values that are less, and half of those that are equal (the mid-rank: `percentileofscore` of SciPy
 * with kind `mean`). So a fully covered exon in a cohort of fully covered exons is at 50, not at 0 or 100. NaN if there are no values.
 */
export function percentileOf(sorted: Float64Array, value: number): number {
  const less = firstAt(sorted, (one) => one >= value);
  const notGreater = firstAt(sorted, (one) => one > value);
  return sorted.length === 0 ? Number.NaN : (50 * (less + notGreater)) / sorted.length;
}

/** The index of the first value that passes, if all after it do as well; the length if none passes. */
function firstAt(sorted: Float64Array, passes: (value: number) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(sorted[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}
