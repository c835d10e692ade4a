/** Cumulative coverage of a sample: for each depth, the fraction of distinct bases at or above it. */
import { basesOf, type DepthHistogram } from './depth-histogram.js';

export interface DepthCurve {
  /** Ascending from 0, with every requested threshold up to the greatest depth of the curve. */
  depths: number[];
  /** Exact fractions from 0 to 1 of all distinct bases; bases that the file lacks have depth 0. */
  shares: number[];
}

const points = 60;

/** Depths at which curves are drawn: up to twice the greatest mean, with the thresholds. */
export function curveDepths(means: readonly number[], thresholds: readonly number[], level: number): number[] {
  const end = Math.ceil(Math.max(level * 1.25, 2 * Math.max(0, ...means), 20));
  const step = Math.max(1, Math.ceil(end / points));
  const even = Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);
  const own = thresholds.filter((threshold) => threshold <= end);
  return [...new Set([...even, end, ...own])].sort((a, b) => a - b);
}

/** Undefined if there are no bases. */
export function depthCurve(histogram: DepthHistogram, depths: readonly number[]): DepthCurve | undefined {
  const length = basesOf(histogram);
  if (length === 0) return undefined;
  const reached = (depth: number) =>
    histogram.reduce((sum, { depth: own, bases }) => (own >= depth ? sum + bases : sum), 0);
  return { depths: [...depths], shares: depths.map((depth) => reached(depth) / length) };
}
