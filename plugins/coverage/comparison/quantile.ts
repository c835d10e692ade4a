/** Quantiles of exact values, in time proportional to their number: cohorts have thousands of samples, and panels thousands of exons. */

/**
 * The quantile at a fraction from 0 to 1, by linear interpolation between order statistics: type 7 of Hyndman and Fan (Sample
 * quantiles in statistical packages, The American Statistician 50, 1996), the default of R and NumPy. NaN if there are no values,
 * of which none may be NaN. Reorders the values.
 */
export function quantile(values: Float64Array, fraction: number): number {
  return quantiles(values, [fraction])[0] as number;
}

/** Several quantiles of the same values: each looks only between those before it, so that the median is best asked for first. */
export function quantiles(values: Float64Array, fractions: readonly number[]): number[] {
  /** Ranks that were selected: no value before one is greater, and none after it less. */
  const ranks: number[] = [];
  return fractions.map((fraction) => {
    if (values.length === 0) return Number.NaN;
    const place = (values.length - 1) * fraction;
    const rank = Math.floor(place);
    let [left, right] = [0, values.length - 1];
    for (const known of ranks) {
      if (known < rank) left = Math.max(left, known + 1);
      else if (known > rank) right = Math.min(right, known - 1);
      else [left, right] = [rank, rank];
    }
    const below = select(values, rank, left, right);
    ranks.push(rank);
    if (place === rank) return below;
    let above = Number.POSITIVE_INFINITY;
    // The next known rank has the least value of those from it on.
    const next = Math.min(values.length, ...ranks.filter((known) => known > rank));
    const end = Math.min(next, values.length - 1);
    for (let i = rank + 1; i <= end; i++) if ((values[i] as number) < above) above = values[i] as number;
    return below === above ? below : below + (above - below) * (place - rank);
  });
}

/**
 * The value of a rank from 0, which is between `first` and `last`. Reorders the values between these: those before the rank are
 * then not greater, those after it not less (Hoare, Algorithm 65: FIND, Communications of the ACM 4, 1961).
 */
function select(values: Float64Array, rank: number, first: number, last: number): number {
  let [left, right] = [first, last];
  while (left < right) {
    // Values that come sorted, as those of samples by date may, are no worst case with the middle one.
    const pivot = values[(left + right) >>> 1] as number;
    let [i, j] = [left, right];
    while (i <= j) {
      while ((values[i] as number) < pivot) i++;
      while ((values[j] as number) > pivot) j--;
      if (i > j) continue;
      const swapped = values[i] as number;
      values[i++] = values[j] as number;
      values[j--] = swapped;
    }
    if (rank <= j) right = j;
    else if (rank >= i) left = i;
    else break;
  }
  return values[rank] as number;
}
