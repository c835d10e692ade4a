/** Means and medians of regions with the digits that mosdepth prints. */
import { type D4File, depths, type Track } from '../d4/index.js';
import type { Regions } from './regions.js';

/** Bases that are read at a time. */
const mostBases = 2 ** 22;
/** Bases between two regions that are cheaper to read than a second read. */
const gap = 2 ** 12;

interface Doubtful {
  place: number;
  begin: number;
  end: number;
  mean: number;
}

/**
 * The mean of each region, by its place, as exact as its printed decimals and its rounding to a whole number need. mosdepth
 * adds depth / length base by base, whose rounding errors decide the last digit of a mean between two decimals. Only the means
 * that these errors could change are added up like that.
 */
export async function regionMeans(
  track: Track,
  regions: Regions,
  sums: Float64Array,
  precision: number,
  signal?: AbortSignal,
): Promise<(place: number) => number> {
  const doubtful: Doubtful[] = [];
  const scale = 10 ** precision;
  const meanOf = (place: number, length: number) => (length === 0 ? 0 : (sums[place] as number) / length);
  for (let place = 0; place < regions.length; place++) {
    const { begin, end } = regions.at(place) as { begin: number; end: number };
    const mean = meanOf(place, end - begin);
    // Each addition is wrong by at most half of the last bit of the sum so far: together by half of this bound.
    const bound = (end - begin + 2) * Number.EPSILON * mean;
    if (isBetween(mean * scale, bound * scale) || isBetween(mean, bound)) {
      doubtful.push({ place, begin, end, mean: 0 });
    }
  }
  await addUp(track, regions.at(0)?.chromosome ?? '', doubtful, signal);
  const added = new Map(doubtful.map(({ place, mean }) => [place, mean]));
  return (place) => {
    const { begin, end } = regions.at(place) as { begin: number; end: number };
    return added.get(place) ?? meanOf(place, end - begin);
  };
}

/** A median counts greater depths as this one. */
const greatestMedian = 65_535;

/** The median of each region, by its place: the least depth that half of its bases, rounded up, do not exceed; 0 without bases. */
export async function regionMedians(
  file: D4File,
  regions: Regions,
  signal?: AbortSignal,
): Promise<(place: number) => number> {
  const medians = new Float64Array(regions.length);
  let place = 0;
  for await (const rows of file.rows({ intervals: regions, histogram: true, signal })) {
    for (const { bases, histogram = [] } of rows) {
      let left = Math.ceil(bases / 2);
      const median = histogram.find((one) => {
        left -= one.bases;
        return left <= 0;
      });
      medians[place++] = Math.min(median?.depth ?? 0, greatestMedian);
    }
  }
  return (at) => medians[at] as number;
}

/** Whether a number is half way between two whole numbers, or may be if it is wrong by `bound` (and by scaling). */
function isBetween(value: number, bound: number): boolean {
  return Math.abs(value - Math.floor(value) - 0.5) <= bound + 2 * Number.EPSILON * value;
}

/** Fills in the means of regions, ascending by begin, that are near each other in one read. */
async function addUp(track: Track, chromosome: string, regions: Doubtful[], signal?: AbortSignal): Promise<void> {
  for (let first = 0; first < regions.length; ) {
    const { begin } = regions[first] as Doubtful;
    let { end } = regions[first] as Doubtful;
    let next = first + 1;
    for (; next < regions.length; next++) {
      const one = regions[next] as Doubtful;
      if (one.begin > end + gap || one.end - begin > mostBases) break;
      end = Math.max(end, one.end);
    }
    for (let from = begin; from < end; from += mostBases) {
      const to = Math.min(end, from + mostBases);
      const values = await depths(track, { chromosome, begin: from, end: to }, { signal });
      for (let i = first; i < next; i++) addBases(regions[i] as Doubtful, values, from);
    }
    first = next;
  }
}

function addBases(region: Doubtful, values: Float64Array, from: number): void {
  const length = region.end - region.begin;
  const last = Math.min(values.length, region.end - from);
  let { mean } = region;
  for (let i = Math.max(0, region.begin - from); i < last; i++) mean += (values[i] as number) / length;
  region.mean = mean;
}
