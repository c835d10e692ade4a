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

/** Targets, and all of them together: their own regions if these do not overlap. */
export interface PlanLayer {
  targets: List<Part>;
  pooled: Part;
}

export interface Plan extends PlanLayer {
  /** Those of each target without overlaps, and of all targets together if these overlap; then of what is measured beside them. */
  regions: List<Region>;
  /** What is read, as many regions are in several targets or layers: see `RegionColumns.distinct`. */
  read: { regions: List<Region>; places?: Uint32Array };
  /** Whether some target has several regions. */
  several: boolean;
  beside: Readonly<Record<string, PlanLayer>>;
  /** Chromosome names as requested. */
  chromosomes: readonly string[];
}

export function planOf(targets: List<Target>, beside: Readonly<Record<string, List<Target>>> = {}): Plan {
  const regions = new RegionColumns(targets.length);
  const own = layerOf(targets, regions);
  const others = Object.entries(beside).map(([name, layer]) => [name, layerOf(layer, regions)] as const);
  const read = regions.distinct();
  return { ...own, regions, read, beside: Object.fromEntries(others), chromosomes: regions.chromosomes };
}

/** Adds the regions of the targets, those of each without overlaps. */
function layerOf(targets: List<Target>, regions: RegionColumns): PlanLayer & { several: boolean } {
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
  const distinct = regions.union(before);
  const pooled = { from: before, to: regions.length, length: lengthOf(distinct) };
  if (pooled.length !== bases) {
    pooled.from = regions.length;
    for (const region of distinct) regions.push(region);
    pooled.to = regions.length;
  }
  return { targets: parts, pooled, several };
}
