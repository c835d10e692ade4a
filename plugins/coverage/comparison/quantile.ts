/** Quantiles of exact values. */

/** Ascending, as numbers. */
export function ascending(values: Iterable<number>): Float64Array {
  return Float64Array.from(values).sort();
}

/**
 * The quantile at a fraction from 0 to 1, by linear interpolation between order statistics: type 7 of Hyndman and Fan (Sample
 * quantiles in statistical packages, The American Statistician 50, 1996), the default of R and NumPy. NaN if there are no values.
 */
export function quantile(sorted: Float64Array, fraction: number): number {
  const place = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below === above ? below : below + (above - below) * (place - Math.floor(place));
}

export function median(sorted: Float64Array): number {
  return quantile(sorted, 0.5);
}
