/**
 * Regions of caution (segmental duplications, low mappability) beside a report: which share of the measured bases lies in them, the
 * same for every sample. No other number depends on them.
 */
import { contigNamed } from '../../../core/genome.js';
import type { Build, Chromosome, FoundRegions, Place, RegionRepository, RegionSet } from '../contract.js';
import {
  type List,
  lazyList,
  lengthOfRegions,
  numberedMembers,
  type Region,
  RegionColumns,
  union,
} from '../measure/region.js';
import { Pace } from '../measure/work-queue.js';
import { groupsOfTargets, type ReportTarget } from './targets.js';

export interface CautionShare {
  /** Distinct measured bases. */
  length: number;
  /** Those of them in each set, in the order of the sets. */
  bases: readonly number[];
}

/** A gene, or the lines of a BED file with one name. */
export interface CautionGroup extends CautionShare {
  group: string;
  geneId?: string | undefined;
}

export interface Caution {
  /** Of the build, by name; at least one. */
  sets: readonly RegionSet[];
  whole: CautionShare;
  /** Those with a base in one of the sets, in the order of the targets. */
  groups: List<CautionGroup>;
  /** Names of the sets with which a region shares a base. */
  namesAt(region: Region): string[];
}

/** Targets whose regions are compared before other requests get their turn. */
const atOnce = 500;

/** Undefined if no set is loaded for the build. */
export async function cautionOf(
  repository: Pick<RegionRepository, 'find'>,
  build: Build,
  targets: List<ReportTarget>,
  signal: AbortSignal,
): Promise<Caution | undefined> {
  let measured: RegionColumns | undefined;
  const places = {
    *[Symbol.iterator](): Generator<Place> {
      measured = measuredRegions(targets);
      for (const one of measured) {
        if (contigNamed(one.chromosome) !== undefined) yield one as Place;
      }
    },
  };
  const found = await repository.find(build, { kind: 'caution', places }, { signal });
  if (found.length === 0 || measured === undefined) return undefined;
  const sums = found.map((one) => new RegionSums(one));
  const pace = new Pace();
  const basesIn = (regions: Iterable<Region>) => {
    const bases = sums.map(() => 0);
    for (const region of regions) {
      for (const [i, own] of sums.entries()) bases[i] = (bases[i] as number) + own.basesIn(region);
    }
    return bases;
  };
  const isIn = new Uint8Array(targets.length);
  for (const [at, { regions }] of numberedMembers(targets)) {
    if (at % atOnce === 0) await pace.turn();
    isIn[at] = basesIn(regions.map(named)).some((bases) => bases > 0) ? 1 : 0;
  }
  const { firsts, ends, places: members } = groupsOfTargets(targets, (at) => isIn[at] === 1);
  const lengths = new Float64Array(firsts.length);
  const inSets = new Float64Array(firsts.length * sums.length);
  for (let i = 0; i < firsts.length; i++) {
    if (i % atOnce === 0) await pace.turn();
    const own = Array.from(members.subarray(ends[i - 1] ?? 0, ends[i]));
    const regions = union(own.flatMap((at) => (targets.at(at)?.regions ?? []).map(named)));
    lengths[i] = lengthOfRegions(regions);
    inSets.set(basesIn(regions), i * sums.length);
  }
  return {
    sets: found.map(({ set }) => set),
    whole: { length: lengthOfRegions(measured), bases: basesIn(measured) },
    groups: lazyList(firsts.length, (i): CautionGroup => {
      const { group = '', geneId } = targets.at(firsts[i] as number) ?? {};
      const bases = Array.from(inSets.subarray(i * sums.length, (i + 1) * sums.length));
      return { group, geneId, length: lengths[i] as number, bases };
    }),
    namesAt: (region) => found.flatMap(({ set }, i) => ((sums[i]?.basesIn(named(region)) ?? 0) > 0 ? [set.name] : [])),
  };
}

/** With the name of the chromosome as sets have it: BED files write `chr7` and `7`. */
function named({ chromosome, start, end }: Region): Region {
  return { chromosome: contigNamed(chromosome) ?? chromosome, start, end };
}

/** Every base of the targets once. */
function measuredRegions(targets: List<ReportTarget>): RegionColumns {
  const all = new RegionColumns(targets.length);
  for (const { regions } of targets) for (const region of regions) all.push(named(region));
  return all.union();
}

/** Counts the bases of regions in a set. */
class RegionSums {
  readonly #bounds: FoundRegions['bounds'];
  /** Of each region, the bases of those before it on the chromosome. */
  readonly #before = new Map<Chromosome, Float64Array>();

  constructor({ bounds }: FoundRegions) {
    this.#bounds = bounds;
    for (const [chromosome, own] of bounds) {
      const before = new Float64Array(own.length / 2);
      for (let i = 1; i < before.length; i++) {
        before[i] = (before[i - 1] as number) + (own[2 * i - 1] as number) - (own[2 * i - 2] as number);
      }
      this.#before.set(chromosome, before);
    }
  }

  basesIn({ chromosome, start, end }: Region): number {
    const bounds = this.#bounds.get(chromosome as Chromosome);
    const before = this.#before.get(chromosome as Chromosome);
    return bounds === undefined || before === undefined ? 0 : upTo(end) - upTo(start);

    /** Bases of the set below a position. */
    function upTo(position: number): number {
      let [low, high] = [0, (before as Float64Array).length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((bounds?.[2 * middle] as number) < position) low = middle + 1;
        else high = middle;
      }
      if (low === 0) return 0;
      const [first, last] = [bounds?.[2 * low - 2] as number, bounds?.[2 * low - 1] as number];
      return (before?.[low - 1] as number) + Math.min(position, last) - first;
    }
  }
}
