/** A report by coding bases: what is measured beside them, so that coding, splice and exonic bases are counted apart. */
import { codingBases } from '../domain/coding.js';
import { type List, mapped } from '../domain/list.js';
import type { Depths, SampleDepths, Target } from '../domain/measure.js';
import { difference, type Region, union } from '../domain/region.js';
import type { ReportTarget } from './target.js';

/** Exonic bases of the target's transcript; its own regions if it has none. */
export function exonicRegions({ model, regions }: ReportTarget): readonly Region[] {
  return model === undefined ? regions : model.exons;
}

/** Exonic and coding bases of each target, and what is counted of genes without coding bases alone. */
export function besideCoding(targets: List<ReportTarget>): Record<string, List<Target>> {
  return {
    exonic: mapped(targets, (target) => ({ regions: exonicRegions(target) })),
    coding: mapped(targets, ({ coding = [] }) => ({ regions: coding })),
    nonCoding: [{ regions: totalsBeside.nonCoding([...targets]) }],
  };
}

/** Coding bases of each transcript that a page measures by its exons, and these with splice bases. */
export function besideTranscripts(targets: List<ReportTarget>, splice: number): Record<string, List<Target>> {
  const basesOf = ({ model, exon }: ReportTarget) =>
    model === undefined || exon !== undefined ? undefined : codingBases(model, splice);
  return {
    codingOfTranscript: mapped(targets, (target) => ({ regions: basesOf(target)?.coding ?? [] })),
    withSplice: mapped(targets, (target) => ({ regions: basesOf(target)?.counted ?? [] })),
  };
}

/** Which bases of some targets the totals of `besideCoding` count. */
export const totalsBeside = {
  coding: (targets: readonly ReportTarget[]): readonly Region[] => union(targets.flatMap(({ coding = [] }) => coding)),
  nonCoding(targets: readonly ReportTarget[]): readonly Region[] {
    const others = targets.filter((target) => !isCoding(target));
    if (others.length === 0) return [];
    const regionsOf = (some: readonly ReportTarget[]) => union(some.flatMap(({ regions }) => regions));
    return [...difference(regionsOf(others), regionsOf(targets.filter(isCoding)))];
  },
};

/** Whether it is measured by coding bases: genes without any are measured by their exons. */
export function isCoding({ coding }: Pick<ReportTarget, 'coding'>): boolean {
  return coding !== undefined && coding.length > 0;
}

export function isNonCoding({ coding }: Pick<ReportTarget, 'coding'>): boolean {
  return coding?.length === 0;
}

/** Every distinct base in one of them: coding bases, the splice bases that are not coding, exons of genes without coding bases. */
export function countedApart({ pooled, beside }: SampleDepths): Record<'coding' | 'splice' | 'nonCoding', Depths> {
  const [coding, nonCoding] = [beside.coding?.pooled, beside.nonCoding?.pooled];
  if (coding === undefined || nonCoding === undefined) throw new Error('Coding bases were not measured apart');
  return { coding, splice: together(together(pooled, nonCoding, -1), coding, -1), nonCoding };
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
