/** Quantiles of exact values, in time proportional to their number: cohorts have thousands of samples, and panels thousands of exons. */

/**
 * The quantile at a fraction from 0 to 1, by linear interpolation between order statistics: type 7 of Hyndman and Fan (Sample
 * quantiles in statistical packages, The American Statistician 50, 1996), the default of R and NumPy. NaN if there are no values,
 * of which none may be NaN.
 */
export function quantile(values: Float64Array, fraction: number): number {
  return quantiles(values, [fraction])[0] as number;
}

/** Several quantiles of the same values, faster than one by one. */
export function quantiles(values: Float64Array, fractions: readonly number[]): number[] {
  if (values.length === 0) return fractions.map(() => Number.NaN);
  const last = values.length - 1;
  const ranks = new Set<number>();
  for (const fraction of fractions) ranks.add(Math.floor(last * fraction)).add(Math.ceil(last * fraction));
  const found = new Map<number, number>();
  const sorted = [...ranks].sort((a, b) => a - b);
  select(values, sorted, (rank, value) => found.set(rank, value));
  return fractions.map((fraction) => {
    const place = last * fraction;
    const [below, above] = [found.get(Math.floor(place)) as number, found.get(Math.ceil(place)) as number];
    return below === above ? below : below + (above - below) * (place - Math.floor(place));
  });
}

/** Values that are sorted at once, and most buckets that more of them are divided into. */
const [fewValues, mostBuckets] = [48, 2048];
/** Of the call that is running: how many values each bucket has, then where the next one is written; -1 if no rank needs it. */
const buckets = new Int32Array(mostBuckets);

/**
 * Finds the values of some ranks, from 0 and ascending. Divides the values into buckets of equal width, and searches each rank in
 * its bucket alone.
 */
function select(values: Float64Array, ranks: readonly number[], take: (rank: number, value: number) => void): void {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  // Rounding keeps the order: of two values the greater one is never in a lower bucket.
  const scale = (Math.min(mostBuckets, values.length) - 1) / (most - least);
  if (least === most) {
    for (const rank of ranks) take(rank, least);
  } else if (values.length <= fewValues || !Number.isFinite(scale) || scale === 0) {
    const sorted = values.toSorted();
    for (const rank of ranks) take(rank, sorted[rank] as number);
  } else {
    for (const segment of segments(values, ranks, least, scale)) {
      select(segment.values, segment.ranks, (rank, value) => take(rank + segment.before, value));
    }
  }
}

/** The values of one bucket. */
interface Segment {
  values: Float64Array;
  /** Values of lower buckets. */
  before: number;
  /** Among the values of the bucket. */
  ranks: number[];
}

/** The buckets that have these ranks. The bucket of a value is the distance from the least one, times the scale. */
function segments(values: Float64Array, ranks: readonly number[], least: number, scale: number): Segment[] {
  buckets.fill(0);
  for (let i = 0; i < values.length; i++) {
    const own = (((values[i] as number) - least) * scale) | 0;
    buckets[own] = (buckets[own] as number) + 1;
  }
  const found: { ranks: number[]; before: number; from: number; to: number }[] = [];
  let [bucket, before, size] = [0, 0, 0];
  const starts = new Map<number, number>();
  for (const rank of ranks) {
    for (; before + (buckets[bucket] as number) <= rank; bucket++) before += buckets[bucket] as number;
    if (!starts.has(bucket)) {
      starts.set(bucket, size);
      found.push({ ranks: [], before, from: size, to: size + (buckets[bucket] as number) });
      size += buckets[bucket] as number;
    }
    found.at(-1)?.ranks.push(rank - before);
  }
  buckets.fill(-1);
  for (const [needed, from] of starts) buckets[needed] = from;
  const gathered = new Float64Array(size);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    const own = ((value - least) * scale) | 0;
    const at = buckets[own] as number;
    if (at < 0) continue;
    gathered[at] = value;
    buckets[own] = at + 1;
  }
  return found.map(({ from, to, ...segment }) => ({ ...segment, values: gathered.subarray(from, to) }));
}
