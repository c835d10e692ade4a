/**
 * The regions of `--by` (those of a BED file with their names, or windows of equal length), with their means and medians in the
 * digits that mosdepth prints.
 */
import { readBedFile } from '../../../../core/files.js';
import { type D4Chromosome, D4Error, type D4File, type D4Track, depths, type Interval } from '../../d4/index.js';

/** A region, zero-based half-open. */
interface NamedRegion extends Interval {
  /** The fourth column of the BED file; empty if it has none. */
  name: string;
}

/** Regions of a chromosome by index. */
export interface NamedRegions {
  readonly length: number;
  at(place: number): NamedRegion | undefined;
}

/** What `--by` asks for. */
export type RegionChoice = { window: number } | { regions: ByChromosome };

/** Whole numbers are the length of windows, anything else is the path of a BED file. Throws as `readNamedBed`. */
export async function parseBy(given: string, chromosomes: readonly D4Chromosome[]): Promise<RegionChoice> {
  if (!/^\d+$/.test(given)) return { regions: await readNamedBed(given, chromosomes) };
  const window = Number(given);
  if (window >= 1 && Number.isSafeInteger(window)) return { window };
  throw new D4Error('invalid', 'Windows need a length of 1 base or more', '--by');
}

/** The windows of a chromosome; the last one may be shorter. */
export function windows({ name: chromosome, size }: D4Chromosome, length: number): NamedRegions {
  const count = Math.ceil(size / length);
  return {
    length: count,
    at: (place) => ({
      chromosome,
      begin: place * length,
      end: Math.min(size, (place + 1) * length),
      name: '',
    }),
  };
}

/** Regions by chromosome, each ascending by begin; regions of the same begin stay in the order of the file. */
type ByChromosome = Map<string, NamedRegion[]>;

/**
 * Throws an `unprocessable` fault for a file that is not BED and for a region that ends after its chromosome, and D4Error if no
 * chromosome of the BED file is known.
 */
async function readNamedBed(path: string, chromosomes: readonly D4Chromosome[]): Promise<ByChromosome> {
  const bed = await readBedFile(path);
  const sizes = new Map(chromosomes.map(({ name, size }) => [name, size]));
  bed.within((name) => sizes.get(name));
  if (!bed.chromosomes.some((name) => sizes.has(name))) {
    const names = bed.chromosomes.slice(0, 3).join(', ');
    const known = chromosomes.slice(0, 3).map(({ name }) => name);
    const message = `The D4 file has none of the chromosomes of the BED file (${names} …); its own are ${known.join(', ')} …`;
    throw new D4Error('unknown-chromosome', message, path);
  }
  const found = new Map(bed.chromosomes.map((name): [string, NamedRegion[]] => [name, []]));
  for (const { chromosome, start, end, name = '' } of bed)
    found.get(chromosome)?.push({ chromosome, begin: start, end, name });
  for (const regions of found.values()) regions.sort((a, b) => a.begin - b.begin);
  return found;
}

// Means and medians of regions with the digits that mosdepth prints.

/** Bases that are read at a time. */
const mostBases = 2 ** 22;
/** Bases between two regions that are cheaper to read than a second read. */
const gap = 2 ** 12;

interface DoubtfulMean {
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
  track: D4Track,
  regions: NamedRegions,
  sums: Float64Array,
  precision: number,
  signal?: AbortSignal,
): Promise<(place: number) => number> {
  const doubtful: DoubtfulMean[] = [];
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
  regions: NamedRegions,
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
async function addUp(track: D4Track, chromosome: string, regions: DoubtfulMean[], signal?: AbortSignal): Promise<void> {
  for (let first = 0; first < regions.length; ) {
    const { begin } = regions[first] as DoubtfulMean;
    let { end } = regions[first] as DoubtfulMean;
    let next = first + 1;
    for (; next < regions.length; next++) {
      const one = regions[next] as DoubtfulMean;
      if (one.begin > end + gap || one.end - begin > mostBases) break;
      end = Math.max(end, one.end);
    }
    for (let from = begin; from < end; from += mostBases) {
      const to = Math.min(end, from + mostBases);
      const values = await depths(track, { chromosome, begin: from, end: to }, { signal });
      for (let i = first; i < next; i++) addBases(regions[i] as DoubtfulMean, values, from);
    }
    first = next;
  }
}

function addBases(region: DoubtfulMean, values: Float64Array, from: number): void {
  const length = region.end - region.begin;
  const last = Math.min(values.length, region.end - from);
  let { mean } = region;
  for (let i = Math.max(0, region.begin - from); i < last; i++) mean += (values[i] as number) / length;
  region.mean = mean;
}
