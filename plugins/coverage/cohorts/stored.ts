/** Cohort values from the storage. */
import type { Region } from '../domain/region.js';
import { addValues, checkBlock } from './blocks.js';
import { isAutosomal } from './column.js';
import type { BlocksWanted, CohortBlock, CohortMember } from './contract.js';
import { damagedValues } from './damaged.js';
import { type KnownCohort, type KnownCohorts, sumBeyond } from './known.js';
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
      if (regions === undefined) return [];
      const found: Region[] = [];
      for (let region = regions.bounds[1]; region < regions.bounds[2]; region++) {
        if (isAutosomal(regions, region)) found.push(regions.at(region));
      }
      return found;
    },
  };
}

interface Plan extends BlocksWanted {
  /** Indexes of the thresholds of the question that are stored. */
  thresholds: readonly number[];
  /** For each target, the numbers of its regions; undefined if it is not made of regions of the layout. */
  targets: readonly (readonly number[] | undefined)[];
  /** For each region, the targets that have it. */
  users: ReadonlyMap<number, readonly number[]>;
}

function planOf({ targets: asked, thresholds: depths }: CohortQuestion, { regions, state }: KnownCohort): Plan {
  const thresholds = state.layout.thresholds.flatMap((depth, t) => (depths.includes(depth) ? [t] : []));
  const targets = asked.map((target) => regions.find(target.regions));
  const users = new Map<number, number[]>();
  const parts = new Set<number>();
  for (const [at, own] of targets.entries()) {
    for (const region of own ?? []) {
      const known = users.get(region);
      if (known !== undefined) known.push(at);
      else users.set(region, [at]);
      parts.add(regions.partOf(regions.closed, region).part).add(regions.partOf(regions.open, region).part);
    }
  }
  return { parts: [...parts], planes: [0, ...thresholds.map((t) => t + 1)], thresholds, targets, users };
}

function valuesIn(
  { samples: asked }: CohortQuestion,
  { targets, thresholds, users }: Plan,
  cohort: KnownCohort,
  blocks: readonly CohortBlock[],
): CohortValues {
  const { regions, state } = cohort;
  const members: readonly CohortMember[] =
    asked === undefined ? state.members : asked.flatMap((id) => cohort.members.get(id) ?? []);
  const places = new Int32Array(state.columns).fill(-1);
  for (const [place, { column }] of members.entries()) places[column] = place;
  const denominators = Float64Array.from(members, ({ denominator }) => denominator);
  const column = () => new Float64Array(members.length);
  const sums = targets.map((own) => (own === undefined ? undefined : column()));
  const reached = targets.map((own) => (own === undefined ? undefined : thresholds.map(column)));
  const beyond = (at: number, region: number) => sumBeyond(cohort, at, region);
  /** Values of each region that blocks had: every member's, or something is missing. */
  const had = new Map<number, number>();
  const ordered = [...users.keys()].sort((a, b) => a - b);
  for (const block of blocks) {
    const count = membersIn(block, places);
    if (count === 0) continue;
    const part = checkBlock(block, regions);
    const plane = thresholds.indexOf(block.plane - 1);
    for (let i = firstAtLeast(ordered, part.from); i < ordered.length; i++) {
      const region = ordered[i] as number;
      if (region >= part.to) break;
      had.set(region, (had.get(region) ?? 0) + count);
      for (const target of users.get(region) ?? []) {
        const into = block.plane === 0 ? sums[target] : reached[target]?.[plane];
        if (into !== undefined) addValues(block, part, regions, region, { places, into, beyond });
      }
    }
  }
  for (const region of ordered) {
    if ((had.get(region) ?? 0) !== members.length * (1 + thresholds.length)) throw damagedValues();
  }
  return {
    samples: members.map(({ sample }) => sample),
    thresholds: thresholds.map((t) => state.layout.thresholds[t] as number),
    targets: targets.map((own, at): TargetValues | undefined => {
      if (own === undefined) return undefined;
      const length = own.reduce((sum, region) => sum + regions.length(region), 0);
      const means = sums[at] as Float64Array;
      divide(means, denominators, length);
      return { length, means, reached: reached[at] as Float64Array[] };
    }),
    medians: Float64Array.from(members, ({ median }) => median ?? Number.NaN),
  };
}

/** In the order of operations of reports, so that the last digit is the same. */
function divide(sums: Float64Array, denominators: Float64Array, length: number): void {
  for (let i = 0; i < sums.length; i++) {
    sums[i] = length === 0 ? 0 : (sums[i] as number) / (denominators[i] as number) / length;
  }
}

function membersIn({ from, to }: CohortBlock, places: Int32Array): number {
  let count = 0;
  for (let column = from; column < to; column++) if ((places[column] as number) >= 0) count += 1;
  return count;
}

function firstAtLeast(ordered: readonly number[], region: number): number {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ordered[middle] as number) < region) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Nothing is stored for the build. */
function nothing({ targets }: CohortQuestion): CohortValues {
  return { samples: [], thresholds: [], targets: targets.map(() => undefined), medians: new Float64Array(0) };
}
