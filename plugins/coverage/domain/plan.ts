/** The regions to read to measure targets: the same for every sample. */
import { type List, listOf } from './list.js';
import type { Target } from './measure.js';
import { lengthOf, type Region, union } from './region.js';
import { RegionColumns } from './region-columns.js';

/** The regions [from, to) of `Plan.regions`, measured as one. */
export interface Part {
  from: number;
  to: number;
  /** Distinct bases. */
  length: number;
}

export interface Plan {
  /** Regions to read: those of each target without overlaps, those of all targets together, those beside. */
  regions: List<Region>;
  targets: List<Part>;
  /** Whether some target has several regions. */
  several: boolean;
  /** All targets together: the targets' own regions if these do not overlap. */
  pooled: Part;
  /** What is measured beside the targets. */
  beside: List<Part>;
  /** Chromosome names as requested. */
  chromosomes: readonly string[];
}

export function planOf(targets: List<Target>, beside: List<Target> = []): Plan {
  const regions = new RegionColumns(targets.length);
  const { parts, bases, several } = partsOf(targets, regions);
  const distinct = regions.union();
  const pooled = { from: 0, to: regions.length, length: lengthOf(distinct) };
  if (pooled.length !== bases) {
    pooled.from = regions.length;
    for (const region of distinct) regions.push(region);
    pooled.to = regions.length;
  }
  const { parts: others } = partsOf(beside, regions);
  return { regions, targets: parts, several, pooled, beside: others, chromosomes: regions.chromosomes };
}

/** Adds the regions of the targets, those of each without overlaps. */
function partsOf(
  targets: List<Target>,
  regions: RegionColumns,
): { parts: List<Part>; bases: number; several: boolean } {
  const before = regions.length;
  const ends = new Uint32Array(targets.length);
  const lengths = new Float64Array(targets.length);
  let [target, bases, several] = [0, 0, false];
  for (const { regions: given } of targets) {
    const own = given.length === 1 ? given : union(given);
    for (const region of own) regions.push(region);
    several ||= own.length > 1;
    lengths[target] = lengthOf(own);
    bases += lengths[target] as number;
    ends[target] = regions.length;
    target += 1;
  }
  const parts = listOf(targets.length, (i): Part => {
    return { from: ends[i - 1] ?? before, to: ends[i] as number, length: lengths[i] as number };
  });
  return { parts, bases, several };
}
