/** Statistics of intervals from one pass over a D4 file, in columns indexed by interval. */
import type { D4File } from '../d4/file.js';
import type { ColumnsRequest } from '../d4/statistics/columns.js';

export interface Distribution {
  min: number;
  max: number;
  median: number;
}

export interface RegionStatistics {
  bases: ArrayLike<number>;
  /** Sums of stored values: depths times the track's denominator. */
  sums: ArrayLike<number>;
  /** For each interval, one count per threshold. */
  counts: ArrayLike<number>;
  /** Of the intervals at these places, pooled; they must have at least one base. */
  distribution(places: readonly number[]): Distribution;
}

type Request = Pick<ColumnsRequest, 'intervals' | 'thresholds' | 'signal'>;

/** Reads statistics whose `distribution` accepts a single interval only. */
export async function readStatistics(file: D4File, request: Request, distribution: boolean): Promise<RegionStatistics> {
  const columns = await file.columns(distribution ? { ...request, range: true, percentiles: [50] } : request);
  const { bases, sums, counts, min, max, percentiles } = columns;
  return {
    bases,
    sums,
    counts,
    distribution([place = 0]) {
      return { min: min[place] as number, max: max[place] as number, median: percentiles[place] as number };
    },
  };
}

/** Reads statistics whose `distribution` pools any intervals, which needs a histogram of each. */
export async function readHistograms(file: D4File, request: Request): Promise<RegionStatistics> {
  const rows = await file.statistics({ ...request, histogram: true });
  return {
    bases: rows.map(({ bases }) => bases),
    sums: rows.map(({ sum }) => sum),
    counts: rows.flatMap(({ counts }) => counts),
    distribution: (places) => distributionOf(places.map((place) => rows[place]?.histogram ?? [])),
  };
}

function distributionOf(histograms: readonly (readonly { depth: number; bases: number }[])[]): Distribution {
  const counts = new Map<number, number>();
  for (const histogram of histograms) {
    for (const { depth, bases } of histogram) counts.set(depth, (counts.get(depth) ?? 0) + bases);
  }
  const depths = [...counts].sort(([a], [b]) => a - b);
  const total = depths.reduce((sum, [, bases]) => sum + bases, 0);
  /** The depth of the base at a rank, counted from 0. */
  const at = (rank: number): number => {
    let before = 0;
    for (const [depth, bases] of depths) {
      before += bases;
      if (rank < before) return depth;
    }
    return Number.NaN;
  };
  const median = (at(Math.floor((total - 1) / 2)) + at(Math.floor(total / 2))) / 2;
  return { min: at(0), max: at(total - 1), median };
}
