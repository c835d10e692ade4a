/** Cohort values from the storage. */
import { mapped } from '../domain/list.js';
import type { Region } from '../domain/region.js';
import { addValues, checkBlock } from './blocks.js';
import { isAutosomal } from './column.js';
import type { BlocksWanted, CohortBlock, CohortMember } from './contract.js';
import { damagedValues } from './damaged.js';
import { type KnownCohort, type KnownCohorts, sumBeyond } from './known.js';
import { type CohortRegions, type Part, type Section, sections } from './regions.js';
import type { CohortQuestion, Cohorts, CohortValues, TargetValues } from './values.js';

export function storedCohorts(known: KnownCohorts): Cohorts {
  return {
    async values(question, signal) {
      signal.throwIfAborted();
      const found = await known.read(question.build, (cohort) => planOf(question, cohort));
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

function autosomal(regions: CohortRegions, section: Section): Region[] {
  const at = sections.indexOf(section);
  const found: Region[] = [];
  for (let region = regions.bounds[at] as number; region < (regions.bounds[at + 1] as number); region++) {
    if (isAutosomal(regions, region)) found.push(regions.at(region));
  }
  return found;
}

interface Plan extends BlocksWanted {
  /** Indexes of the thresholds of the question that are stored. */
  thresholds: readonly number[];
  /** For each target, the numbers of its regions; undefined if it is not made of regions of the layout. */
  targets: readonly (readonly number[] | undefined)[];
}

function planOf({ targets: asked, thresholds: depths }: CohortQuestion, { regions, state }: KnownCohort): Plan {
  const thresholds = state.layout.thresholds.flatMap((depth, t) => (depths.includes(depth) ? [t] : []));
  const targets = asked.map((target) => regions.find(target.regions));
  const parts = new Set<number>();
  for (const own of targets) {
    for (const region of own ?? []) for (const { part } of partsOf(region, regions)) parts.add(part);
  }
  return { parts: [...parts], planes: [0, ...thresholds.map((t) => t + 1)], thresholds, targets };
}

/** The parts that the values of a region are in: of several columns, and of one. */
function partsOf(region: number, regions: CohortRegions): [closed: Part, open: Part] {
  return [regions.partOf(regions.closed, region), regions.partOf(regions.open, region)];
}

function valuesIn(
  { samples: asked }: CohortQuestion,
  { targets, thresholds, planes }: Plan,
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
    targets: mapped(targets, (own): TargetValues | undefined => {
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
