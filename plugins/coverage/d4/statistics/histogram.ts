/** Histograms of stored integers, and percentiles from them. */

/** The number of bases of each stored integer, ascending by value, without zero counts. */
export interface Histogram {
  values: Int32Array;
  counts: Float64Array;
}

/** A histogram from counts by value. */
export function ascending(counted: ReadonlyMap<number, number>): Histogram {
  let length = 0;
  for (const count of counted.values()) if (count !== 0) length++;
  const [values, counts] = [new Int32Array(length), new Float64Array(length)];
  let filled = 0;
  let isSorted = true;
  for (const [value, count] of counted) {
    if (count === 0) continue;
    if (filled > 0 && value < (values[filled - 1] as number)) isSorted = false;
    values[filled++] = value;
  }
  // Typed arrays are sorted by number, without calls of a function; most pieces have few values.
  if (!isSorted) values.sort();
  for (let i = 0; i < length; i++) counts[i] = counted.get(values[i] as number) as number;
  return { values, counts };
}

/** Adds up the histograms of parts. */
export function merge(parts: readonly Histogram[]): Histogram {
  const counted = new Map<number, number>();
  for (const { values, counts } of parts) {
    values.forEach((value, i) => {
      counted.set(value, (counted.get(value) ?? 0) + (counts[i] as number));
    });
  }
  return ascending(counted);
}

/**
 * A percentile of the stored values: linear between the two closest ranks, so that 50 is the median as commonly defined (the
 * mean of the two middle values of an even number). Undefined if there are no bases.
 */
export function percentile({ values, counts }: Histogram, percent: number): number | undefined {
  const bases = counts.reduce((sum, count) => sum + count, 0);
  if (bases === 0) return undefined;
  const rank = ((bases - 1) * percent) / 100;
  const whole = Math.floor(rank);
  const lower = at(whole);
  return rank === whole ? lower : lower + (rank - whole) * (at(whole + 1) - lower);

  function at(position: number): number {
    let seen = 0;
    let i = 0;
    while (i < counts.length - 1 && seen + (counts[i] as number) <= position) seen += counts[i++] as number;
    return values[i] as number;
  }
}
