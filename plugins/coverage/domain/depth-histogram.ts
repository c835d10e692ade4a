/** How many of a sample's distinct bases have each depth: what the cumulative curve and the uniformity are computed from. */
import type { DepthCount } from '../d4/statistics/statistics.js';
import { intervalsIn } from './intervals-in.js';
import type { DepthFiles, Sample } from './measure.js';
import { namesInFile } from './names.js';
import { lengthOf } from './region.js';
import type { RegionColumns } from './region-columns.js';

/** Ascending by depth. Bases that the file lacks have depth 0. */
export type DepthHistogram = readonly DepthCount[];

/** Takes one more pass over the distinct regions. */
export function depthHistogram(
  files: DepthFiles,
  { location }: Sample,
  { distinct, signal }: { distinct: RegionColumns; signal: AbortSignal },
): Promise<DepthHistogram> {
  return files.use(location, async (file) => {
    const { chromosomes } = file.track();
    const { intervals } = intervalsIn(distinct, namesInFile(chromosomes, distinct.chromosomes));
    const found = await file.histogram({ intervals, signal });
    const missing = lengthOf(distinct) - basesOf(found);
    if (missing === 0) return found;
    const [first] = found;
    const zeros = first?.depth === 0 ? first.bases : 0;
    return [{ depth: 0, bases: zeros + missing }, ...found.slice(first?.depth === 0 ? 1 : 0)];
  });
}

export function basesOf(histogram: DepthHistogram): number {
  return histogram.reduce((sum, { bases }) => sum + bases, 0);
}
