/** A report by coding bases: what is measured beside them, so that coding, splice and exonic bases are counted apart. */
import type { List } from '../domain/list.js';
import type { Depths, SampleDepths, Target } from '../domain/measure.js';
import { lengthOf, type Region, union } from '../domain/region.js';
import type { ReportTarget } from './target.js';

/** Exonic bases of the target's transcript; its own regions if it has none. */
export function exonicRegions({ model, regions }: ReportTarget): readonly Region[] {
  return model === undefined ? regions : model.exons;
}

/**
 * The exons of each target in their order, the coding bases of each, then all coding bases, and all coding and splice bases: these
 * two are left empty if no two targets share any, because they are then the sums.
 */
export function besideCoding(targets: List<ReportTarget>): Target[] {
  const ofCoding = [...targets].filter(isCoding);
  const shared = (regions: readonly Region[]) => {
    const distinct = union(regions);
    return { regions: lengthOf(distinct) === lengthOf(regions) ? [] : distinct };
  };
  return [
    ...Array.from(targets, (target) => ({ regions: exonicRegions(target) })),
    ...Array.from(targets, ({ coding = [] }) => ({ regions: coding })),
    shared(ofCoding.flatMap(({ coding = [] }) => [...coding])),
    shared(ofCoding.flatMap(({ regions }) => [...regions])),
  ];
}

/** Which regions of some targets, and of some others, the totals of `besideCoding` count, by their places in it. */
export function besideTotals(
  some: readonly ReportTarget[],
  others: readonly ReportTarget[],
  targets: number,
): [at: number, some: Region[], others: Region[]][] {
  const coding = (all: readonly ReportTarget[]) => all.flatMap((target) => [...(target.coding ?? [])]);
  const counted = (all: readonly ReportTarget[]) => all.filter(isCoding).flatMap(({ regions }) => [...regions]);
  return [
    [2 * targets, coding(some), coding(others)],
    [2 * targets + 1, counted(some), counted(others)],
  ];
}

/** Whether it is measured by coding bases: genes without any are measured by their exons. */
export function isCoding({ coding }: Pick<ReportTarget, 'coding'>): boolean {
  return coding !== undefined && coding.length > 0;
}

export function isNonCoding({ coding }: Pick<ReportTarget, 'coding'>): boolean {
  return coding?.length === 0;
}

/** The exonic depths of a target of a report by coding bases. */
export function exonicDepths({ beside }: Pick<SampleDepths, 'beside'>, at: number): Depths | undefined {
  return beside.at(at);
}

/** The depths of its coding bases alone. */
export function codingDepths({ beside, targets }: SampleDepths, at: number): Depths | undefined {
  return beside.at(targets.length + at);
}

/** Every distinct base in one of them: coding bases, the splice bases that are not coding, exons of genes without coding bases. */
export interface CountedApart {
  coding: Depths;
  splice: Depths;
  nonCoding: Depths;
}

/** `isCounted` says of the place of a target whether the totals count it. */
export function countedApart(depths: SampleDepths, isCounted: (at: number) => boolean): CountedApart {
  const { targets, pooled, beside } = depths;
  const [codingOfAll, countedOfAll] = [beside.at(2 * targets.length), beside.at(2 * targets.length + 1)];
  if (codingOfAll === undefined || countedOfAll === undefined) throw new Error('Coding bases were not measured apart');
  const none: Depths = { length: 0, measured: 0, sum: 0, mean: 0, reached: pooled.reached.map(() => 0) };
  let [coding, counted] = [none, none];
  for (let at = 0; at < targets.length; at++) {
    if (!isCounted(at)) continue;
    const [own, all] = [codingDepths(depths, at), targets.at(at)];
    if (own === undefined || all === undefined || own.length === 0) continue;
    [coding, counted] = [together(coding, own, 1), together(counted, all, 1)];
  }
  if (codingOfAll.length > 0) coding = codingOfAll;
  if (countedOfAll.length > 0) counted = countedOfAll;
  return { coding, splice: together(counted, coding, -1), nonCoding: together(pooled, counted, -1) };
}

/** The depths of distinct bases together, or (`sign` −1) of all bases without some of them. */
export function together(all: Depths, some: Omit<Depths, 'mean'>, sign: 1 | -1): Depths {
  const [length, sum] = [all.length + sign * some.length, all.sum + sign * some.sum];
  return {
    length,
    measured: all.measured + sign * some.measured,
    sum,
    mean: length === 0 ? 0 : sum / length,
    reached: all.reached.map((bases, i) => bases + sign * (some.reached[i] ?? 0)),
  };
}

/** Distinct exonic bases of all targets. */
export function exonicLength(targets: Iterable<ReportTarget>): number {
  return lengthOf(union([...targets].flatMap((target) => [...exonicRegions(target)])));
}
