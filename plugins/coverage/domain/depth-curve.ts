/** Cumulative coverage of a sample: for each depth, the fraction of distinct bases at or above it. */
import type { Interval } from '../d4/interval.js';
import type { DepthFiles, Sample } from './measure.js';
import { namesInFile } from './names.js';
import { lengthOf, type Region } from './region.js';
import type { RegionColumns } from './region-columns.js';

export interface DepthCurve {
  /** Ascending from 0, with every requested threshold up to the greatest depth of the curve. */
  depths: number[];
  /** Exact fractions from 0 to 1 of all distinct bases; bases that the file lacks have depth 0. */
  shares: number[];
}

const points = 60;
const regionsAtOnce = 20_000;

/** Depths at which curves are drawn: up to twice the greatest mean, with the thresholds. */
export function curveDepths(means: readonly number[], thresholds: readonly number[], level: number): number[] {
  const end = Math.ceil(Math.max(level * 1.25, 2 * Math.max(0, ...means), 20));
  const step = Math.max(1, Math.ceil(end / points));
  const even = Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);
  const own = thresholds.filter((threshold) => threshold <= end);
  return [...new Set([...even, end, ...own])].sort((a, b) => a - b);
}

/** Takes one more pass over the distinct regions. */
export function depthCurve(
  files: DepthFiles,
  { location }: Sample,
  { distinct, depths, signal }: { distinct: RegionColumns; depths: readonly number[]; signal: AbortSignal },
): Promise<DepthCurve> {
  const length = lengthOf(distinct);
  return files.use(location, async (file) => {
    const { chromosomes } = file.track();
    const names = namesInFile(chromosomes, distinct.chromosomes);
    const reached = new Array<number>(depths.length).fill(0);
    // Counts of all depths in all regions at once would take too much memory.
    for (let from = 0; from < distinct.length; from += regionsAtOnce) {
      const intervals: Interval[] = [];
      for (let i = from; i < Math.min(from + regionsAtOnce, distinct.length); i++) {
        const { chromosome, start, end } = distinct.at(i) as Region;
        const own = names.get(chromosome);
        if (own !== undefined) intervals.push({ chromosome: own, begin: start, end });
      }
      const { counts } = await file.columns({ intervals, thresholds: depths, signal });
      for (let i = 0; i < counts.length; i++) {
        const depth = i % depths.length;
        reached[depth] = (reached[depth] as number) + (counts[i] as number);
      }
    }
    // No depth is negative: every base reaches 0, also those that the file lacks.
    return {
      depths: [...depths],
      shares: depths.map((depth, i) => (length === 0 ? 0 : depth === 0 ? 1 : (reached[i] as number) / length)),
    };
  });
}
