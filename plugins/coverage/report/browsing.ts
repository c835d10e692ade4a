/** Long tables: in the order that is wanted, only what fits the filter, in parts. */
import { completeness } from '../domain/measure.js';
import type { TableView } from '../form/request.js';
import type { Gathered } from './gather.js';
import { placeText, type ReportTarget } from './target.js';

/** Targets of one part at most, and at least; and cells that are quick to write. */
const [mostTargets, leastTargets, quickCells] = [200, 10, 3000];

export interface Row {
  target: ReportTarget;
  /** Its place in the targets. */
  at: number;
  /** Of the sample that has least. */
  least: number;
}

/** The targets at these places of all. */
export function rowsOf({ targets, samples, level }: Gathered, places: readonly number[]): Row[] {
  return places.flatMap((at): Row[] => {
    const target = targets[at];
    const own = samples.flatMap(({ depths }) => depths.targets[at] ?? []);
    return target === undefined ? [] : [{ target, at, least: Math.min(...own.map((one) => completeness(one, level))) }];
  });
}

export function arranged(rows: readonly Row[], { sort, filter }: TableView): Row[] {
  const wanted = filter.toLowerCase();
  const names = ({ target }: Row) => [
    target.group,
    target.id,
    target.transcript ?? '',
    ...target.refseq,
    placeText(target.place),
  ];
  const kept =
    wanted === '' ? [...rows] : rows.filter((row) => names(row).some((name) => name.toLowerCase().includes(wanted)));
  if (sort === 'completeness') return kept.sort((a, b) => a.least - b.least || a.at - b.at);
  const byGene = new Intl.Collator('en', { numeric: true }).compare;
  if (sort === 'gene') return kept.sort((a, b) => byGene(a.target.group, b.target.group) || a.at - b.at);
  return kept.sort(
    ({ target: { place: a } }, { target: { place: b } }) =>
      byGene(a.chromosome, b.chromosome) || a.start - b.start || a.end - b.end,
  );
}

export interface Part {
  shown: readonly Row[];
  /** The first row's place, from 1; 0 of none. */
  from: number;
  part: number;
  parts: number;
}

/** The part that was asked for, or the last one; `cells` are those of one row of `all`. */
export function partOf(all: readonly Row[], wanted: number, cells: number): Part {
  const size = Math.max(leastTargets, Math.min(mostTargets, Math.floor(quickCells / cells)));
  const parts = Math.max(1, Math.ceil(all.length / size));
  const part = Math.min(Math.max(1, wanted), parts);
  const begin = (part - 1) * size;
  return { shown: all.slice(begin, begin + size), from: Math.min(begin + 1, all.length), part, parts };
}

/** All rows in one part: for files, in which nobody turns to the next. */
export function wholeOf(all: readonly Row[]): Part {
  return { shown: all, from: Math.min(1, all.length), part: 1, parts: 1 };
}
