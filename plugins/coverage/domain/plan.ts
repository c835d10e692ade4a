/** What has to be read to measure targets: the same for every sample. */
import type { Target } from './measure.js';
import { lengthOf, type Region, union } from './region.js';

/** A run of regions in `Plan.regions` that are measured as one thing. */
export interface Part {
  from: number;
  to: number;
  /** Distinct bases. */
  length: number;
}

export interface Plan {
  /** Regions to read: those of each target without overlaps, then those of all targets together. */
  regions: readonly Region[];
  targets: readonly Part[];
  /** All targets together; the targets' own regions where these do not overlap. */
  pooled: Part;
  /** Names of chromosomes, as asked. */
  chromosomes: readonly string[];
}

export function planOf(targets: readonly Target[]): Plan {
  const regions: Region[] = [];
  const add = (own: readonly Region[]): Part => {
    const from = regions.length;
    for (const region of own) regions.push(region);
    return { from, to: regions.length, length: lengthOf(own) };
  };
  const parts = targets.map((target) => add(target.regions.length === 1 ? target.regions : union(target.regions)));
  const chromosomes = [...new Set(regions.map(({ chromosome }) => chromosome))];
  const distinct = union(regions);
  const disjoint = lengthOf(distinct) === parts.reduce((sum, { length }) => sum + length, 0);
  const pooled = disjoint ? { from: 0, to: regions.length, length: lengthOf(distinct) } : add(distinct);
  return { regions, targets: parts, pooled, chromosomes };
}
