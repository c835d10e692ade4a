/**
 * The statistics of cohorts: quantiles, spread that outliers do not move, percentiles, what is stated of a cohort beside a
 * sample's own figure, the Mann-Whitney test, and the control rules of Westgard.
 */

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

// The centre and the width of a cohort, and the distance of a value from it, that outliers do not move.

/** Makes the median absolute deviation of a normal distribution its standard deviation: 1/Φ⁻¹(3/4), rounded as is usual. */
export const normalConsistency = 1.4826;

export interface Spread {
  median: number;
  /** Median absolute deviation from the median, as it is. */
  mad: number;
}

/** The median may be known already. */
export function spreadOfValues(values: Float64Array, median = quantile(values, 0.5)): Spread {
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

// Where one value is among the others.

/**
 * The percentage (0 to 100) of values that are less, and half of those that are equal (the mid-rank: `percentileofscore` of SciPy
 * with kind `mean`). So a fully covered exon in a cohort of fully covered exons is at 50, not at 0 or 100. NaN if there are no values.
 */
export function percentileInCohort(values: Float64Array, own: number): number {
  let [less, equal] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    // Without branches: processors cannot predict which values are less.
    less += Number(value < own);
    equal += Number(value === own);
  }
  return values.length === 0 ? Number.NaN : (50 * (2 * less + equal)) / values.length;
}

// What is stated of a cohort beside a sample's own figure.

/** Samples below which the values themselves are stated: percentiles of fewer would look more exact than they are. */
export const leastForPercentiles = 20;

export type CohortStatement =
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

export function statementOfCohort(cohort: Float64Array, own: number | undefined): CohortStatement {
  const n = cohort.length;
  if (n < leastForPercentiles) return { n, values: [...cohort.toSorted()] };
  const [median = Number.NaN, low = Number.NaN, high = Number.NaN] = quantiles(cohort, [0.5, 0.05, 0.95]);
  return {
    n,
    median,
    low,
    high,
    ...(own === undefined ? {} : { percentile: percentileInCohort(cohort, own) }),
  };
}

// Depths of samples that were sequenced to different depths.

/**
 * The mean depth of an interval divided by the sample's own median over the autosomal exons with depth: a median, so that hot spots
 * do not count. Undefined if the sample has no such exons.
 */
export function normalisedDepth(mean: number, autosomalMedian: number): number | undefined {
  return autosomalMedian > 0 ? mean / autosomalMedian : undefined;
}

// Whether one group tends to have greater values than another.

export interface MannWhitney {
  /** Pairs in which the value of the first group is the greater one; equal pairs count half. */
  u: number;
  /** Two-sided, by the normal approximation. */
  p: number;
}

/**
 * The test of Mann and Whitney (Annals of Mathematical Statistics 18, 1947), by the normal approximation with correction for ties
 * and for continuity, as R's `wilcox.test(exact = FALSE)` and SciPy's `mannwhitneyu(method="asymptotic")` compute it. Undefined if
 * a group is empty or all values are equal.
 */
export function mannWhitney(first: Float64Array, second: Float64Array): MannWhitney | undefined {
  const [n, m] = [first.length, second.length];
  const [own, others] = [first.toSorted(), second.toSorted()];
  let [u, ties, i, j] = [0, 0, 0, 0];
  while (i < n || j < m) {
    const value = Math.min(own[i] ?? Number.POSITIVE_INFINITY, others[j] ?? Number.POSITIVE_INFINITY);
    const [fromOwn, fromOthers] = [i, j];
    while (i < n && own[i] === value) i++;
    while (j < m && others[j] === value) j++;
    u += (i - fromOwn) * (fromOthers + (j - fromOthers) / 2);
    const equal = i - fromOwn + j - fromOthers;
    ties += equal ** 3 - equal;
  }
  const size = n + m;
  const variance = ((n * m) / 12) * (size + 1 - ties / (size * (size - 1)));
  if (n === 0 || m === 0 || !(variance > 0)) return undefined;
  const distance = Math.max(0, Math.abs(u - (n * m) / 2) - 0.5);
  return { u, p: Math.min(1, 2 * upperTail(distance / Math.sqrt(variance))) };
}

/** 1 − Φ(z) for z ≥ 0, to about 1e-15 of its value: a series near 0, a continued fraction beyond (Abramowitz and Stegun 26.2.11, 26.2.14). */
export function upperTail(z: number): number {
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z > 3) {
    let fraction = z;
    for (let k = 120; k > 0; k--) fraction = z + k / fraction;
    return density / fraction;
  }
  let [term, sum] = [z, z];
  for (let k = 1; Math.abs(term) > 1e-18; k++) {
    term *= (z * z) / (2 * k + 1);
    sum += term;
  }
  return 0.5 - density * sum;
}

/** The control rules of Westgard, Barry, Hunt and Groth (Clinical Chemistry 27, 1981), in the order in which they are checked. */
export const westgardRules = ['1-3s', '2-2s', 'R-4s', '4-1s', '10-x', '1-2s'] as const;
export type WestgardRule = (typeof westgardRules)[number];

/** The rule that only warns; the others reject. */
export const warningRule: WestgardRule = '1-2s';

/**
 * For each point of a series in time, given as distance from the centre in standard deviations, the rules that it breaks together
 * with the points before it. A point without a distance (undefined) breaks none and interrupts a series.
 *
 * 1-3s: beyond 3; 2-2s: two in a row beyond 2 on one side; R-4s: two in a row, one beyond +2 and the other beyond −2; 4-1s: four
 * in a row beyond 1 on one side; 10-x: ten in a row on one side; 1-2s: beyond 2, a warning.
 */
export function westgard(distances: readonly (number | undefined)[]): WestgardRule[][] {
  return distances.map((own, i) => {
    if (own === undefined) return [];
    const before = distances[i - 1] ?? 0;
    const last = (count: number) => distances.slice(Math.max(0, i + 1 - count), i + 1);
    const onOneSide = (count: number, beyond: number) => {
      const points = last(count);
      const side = Math.sign(own);
      return side !== 0 && points.length === count && points.every((one) => one !== undefined && one * side > beyond);
    };
    const broken: Record<WestgardRule, boolean> = {
      '1-3s': Math.abs(own) > 3,
      '2-2s': onOneSide(2, 2),
      'R-4s': Math.max(own, before) > 2 && Math.min(own, before) < -2,
      '4-1s': onOneSide(4, 1),
      '10-x': onOneSide(10, 0),
      '1-2s': Math.abs(own) > 2,
    };
    return westgardRules.filter((rule) => broken[rule]);
  });
}
