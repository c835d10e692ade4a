/** The values of registered samples at the targets of a report, to compare a sample with others, read from the storage. */
import type { Build } from '../contract.js';
import type { Target } from '../measure/measure.js';
import { type List, mappedList, type Region } from '../measure/region.js';
import { addValues, checkBlock } from './blocks.js';
import type { BlocksWanted, CohortBlock, CohortMember } from './contract.js';
import { isAutosomal } from './keep.js';
import {
  type CohortRegions,
  damagedValues,
  type KnownCohort,
  type KnownCohorts,
  type LayoutSection,
  type RegionRange,
  sections,
  sumBeyond,
} from './layout-regions.js';

interface CohortQuestion {
  build: Build;
  /**
   * As reports measure them: the span of a gene, the exons of a transcript, one exon of the current interval sets. Each must
   * have at least one region.
   */
  targets: readonly Target[];
  /** Depths whose completeness is wanted. */
  thresholds: readonly number[];
  /** Ids of registered samples, each once; all that have values if omitted. */
  samples?: readonly string[];
}

export interface CohortValues {
  /** The samples that have values, in the order of all columns below; in the order of the question if it names samples. */
  samples: readonly string[];
  /** Those of the question that are stored, ascending. */
  thresholds: readonly number[];
  /**
   * In the order of the question; undefined for a target that is not among the current intervals of the build. Each is created
   * anew when it is read: those of a panel together take several times the memory of their blocks.
   */
  targets: List<TargetValues | undefined>;
  /**
   * For each sample, the median of the mean depths of the autosomal exons with depth: the divisor of normalised depths. NaN if
   * no such exon has depth.
   */
  medians: Float64Array;
}

/** Exact: equal, to the last digit, to what a report computes from the file of the sample. */
export interface TargetValues {
  /** Distinct bases of the target. */
  length: number;
  /** For each sample the mean depth. */
  means: Float64Array;
  /** For each threshold and sample, the bases with at least this depth; divide by `length`. */
  reached: readonly Float64Array[];
}

export interface Cohorts {
  /**
   * Samples whose file changed or fails, and those whose values are not computed yet, have none. Throws an `unavailable` fault
   * if stored values are damaged.
   */
  values(question: CohortQuestion, signal: AbortSignal): Promise<CohortValues>;
  /** The distinct autosomal exons of the current interval sets, by chromosome and start: targets of one region each. */
  exons(build: Build, signal: AbortSignal): Promise<readonly Region[]>;
  /** The same of coding segments with their splice bases; none if no coding sequences are loaded. */
  coding(build: Build, signal: AbortSignal): Promise<readonly Region[]>;
}

// Cohort values from the storage.

export function storedCohorts(known: KnownCohorts): Cohorts {
  return {
    async values(question, signal) {
      signal.throwIfAborted();
      const found = await known.read(question.build, (cohort) => blockPlanOf(question, cohort));
      signal.throwIfAborted();
      if (found === undefined) return nothing(question);
      return valuesIn(question, found.plan, found.cohort, found.blocks);
    },

    async exons(build, signal) {
      signal.throwIfAborted();
      const regions = (await known.current(build))?.regions;
      return regions === undefined ? [] : autosomal(regions, 'exons');
    },

    async coding(build, signal) {
      signal.throwIfAborted();
      const regions = (await known.current(build))?.regions;
      if (regions === undefined) return [];
      const places = new Set<string>();
      for (const { chromosome, start, end } of autosomal(regions, 'exons')) {
        places.add(`${chromosome} from ${start}`).add(`${chromosome} to ${end}`).add(`${chromosome} ${start} ${end}`);
      }
      // What exons that overlap have together begins where one begins, ends where another ends, and is longer than either.
      return autosomal(regions, 'others').filter(({ chromosome, start, end }) => {
        const isJoined = places.has(`${chromosome} from ${start}`) && places.has(`${chromosome} to ${end}`);
        return !isJoined || places.has(`${chromosome} ${start} ${end}`);
      });
    },
  };
}

function autosomal(regions: CohortRegions, section: LayoutSection): Region[] {
  const at = sections.indexOf(section);
  const found: Region[] = [];
  for (let region = regions.bounds[at] as number; region < (regions.bounds[at + 1] as number); region++) {
    if (isAutosomal(regions, region)) found.push(regions.at(region));
  }
  return found;
}

interface BlockPlan extends BlocksWanted {
  /** Indexes of the thresholds of the question that are stored. */
  thresholds: readonly number[];
  /** For each target, the numbers of its regions; undefined if it is not made of regions of the layout. */
  targets: readonly (readonly number[] | undefined)[];
}

function blockPlanOf(
  { targets: asked, thresholds: depths }: CohortQuestion,
  { regions, state }: KnownCohort,
): BlockPlan {
  const thresholds = state.layout.thresholds.flatMap((depth, t) => (depths.includes(depth) ? [t] : []));
  const targets = asked.map((target) => regions.find(target.regions));
  const parts = new Set<number>();
  for (const own of targets) {
    for (const region of own ?? []) for (const { part } of partsOf(region, regions)) parts.add(part);
  }
  return { parts: [...parts], planes: [0, ...thresholds.map((t) => t + 1)], thresholds, targets };
}

/** The parts that the values of a region are in: of several columns, and of one. */
function partsOf(region: number, regions: CohortRegions): [closed: RegionRange, open: RegionRange] {
  return [regions.partOf(regions.closed, region), regions.partOf(regions.open, region)];
}

function valuesIn(
  { samples: asked }: CohortQuestion,
  { targets, thresholds, planes }: BlockPlan,
  cohort: KnownCohort,
  blocks: readonly CohortBlock[],
): CohortValues {
  const { regions, state } = cohort;
  const members: readonly CohortMember[] =
    asked === undefined ? state.members : asked.flatMap((id) => cohort.members.get(id) ?? []);
  const places = new Int32Array(state.columns).fill(-1);
  for (const [place, { column }] of members.entries()) places[column] = place;
  const denominators = Float64Array.from(members, ({ denominator }) => denominator);
  const beyond = (at: number, region: number) => sumBeyond(cohort, at, region);
  const stored = blocksByPart(blocks, regions, places);
  for (const region of targets.flatMap((own) => own ?? [])) requireAll(region);

  /** Throws an `unavailable` fault unless the blocks have all values of the region: those of every member in each plane. */
  function requireAll(region: number): void {
    const [closed, open] = partsOf(region, regions);
    for (const plane of planes) {
      const had = (stored.get(closed.part)?.[plane]?.members ?? 0) + (stored.get(open.part)?.[plane]?.members ?? 0);
      if (had !== members.length) throw damagedValues();
    }
  }

  function sumOf(own: readonly number[], plane: number): Float64Array {
    const into = new Float64Array(members.length);
    for (const region of own) {
      for (const part of partsOf(region, regions)) {
        for (const block of stored.get(part.part)?.[plane]?.blocks ?? []) {
          addValues(block, part, regions, region, { places, into, beyond });
        }
      }
    }
    return into;
  }

  return {
    samples: members.map(({ sample }) => sample),
    thresholds: thresholds.map((t) => state.layout.thresholds[t] as number),
    targets: mappedList(targets, (own): TargetValues | undefined => {
      if (own === undefined) return undefined;
      const length = own.reduce((sum, region) => sum + regions.length(region), 0);
      const means = sumOf(own, 0);
      divide(means, denominators, length);
      return { length, means, reached: thresholds.map((t) => sumOf(own, t + 1)) };
    }),
    medians: Float64Array.from(members, ({ median }) => median ?? Number.NaN),
  };
}

/** The blocks of one part and plane that have values of members. */
interface PlaneBlocks {
  blocks: CohortBlock[];
  /** How many members they have values of. */
  members: number;
}

/** By part and plane. Throws an `unavailable` fault if one is damaged. */
function blocksByPart(
  blocks: readonly CohortBlock[],
  regions: CohortRegions,
  places: Int32Array,
): ReadonlyMap<number, readonly (PlaneBlocks | undefined)[]> {
  const before = membersBefore(places);
  const found = new Map<number, (PlaneBlocks | undefined)[]>();
  for (const block of blocks) {
    const members = (before[block.to] ?? Number.NaN) - (before[block.from] ?? Number.NaN);
    if (members === 0) continue;
    checkBlock(block, regions);
    const planes = found.get(block.part) ?? [];
    found.set(block.part, planes);
    const own = planes[block.plane] ?? { blocks: [], members: 0 };
    planes[block.plane] = own;
    own.blocks.push(block);
    own.members += members;
  }
  return found;
}

/** For each column, and beyond the last, the members in columns before it. */
function membersBefore(places: Int32Array): Int32Array {
  const before = new Int32Array(places.length + 1);
  for (let column = 0; column < places.length; column++) {
    before[column + 1] = (before[column] as number) + Number((places[column] as number) >= 0);
  }
  return before;
}

/** In the order of operations of reports, so that the last digit is the same. */
function divide(sums: Float64Array, denominators: Float64Array, length: number): void {
  for (let i = 0; i < sums.length; i++) {
    sums[i] = length === 0 ? 0 : (sums[i] as number) / (denominators[i] as number) / length;
  }
}

/** Nothing is stored for the build. */
function nothing({ targets }: CohortQuestion): CohortValues {
  return { samples: [], thresholds: [], targets: targets.map(() => undefined), medians: new Float64Array(0) };
}
