/** Long tables: in the order that is wanted, only what fits the filter, in parts. */
import { completeness } from '../domain/measure.js';
import type { Region } from '../domain/region.js';
import { RegionColumns } from '../domain/region-columns.js';
import type { SortKey, TableView } from '../form/request.js';
import type { ReportData } from './report-data.js';
import { placeText, type ReportTarget } from './target.js';

/** Targets of one part at most, and at least; and cells that are quick to write. */
const [mostTargets, leastTargets, quickCells] = [200, 10, 3000];

export interface Row {
  target: ReportTarget;
  /** Its place in the targets. */
  at: number;
}

/** Made while they are read. */
export function* rowsOf({ targets }: ReportData, places: Iterable<number>): Generator<Row> {
  for (const at of places) {
    const target = targets.at(at);
    if (target !== undefined) yield { target, at };
  }
}

/** Of the targets at these places, which ascend, those that fit the filter: their places in the order that is wanted. */
export function arranged(data: ReportData, places: readonly number[], { sort, filter }: TableView): number[] {
  const wanted = filter.toLowerCase();
  const fits = ({ group, id, transcript = '', refseq, place }: ReportTarget) =>
    [group, id, transcript, ...refseq, placeText(place)].some((name) => name.toLowerCase().includes(wanted));
  const kept: number[] = [];
  for (const { target, at } of rowsOf(data, places)) if (wanted === '' || fits(target)) kept.push(at);
  const order = Array.from(kept.keys()).sort(comparison(data, kept, sort));
  return order.map((i) => kept[i] as number);
}

/** Compares targets by their places in a list of places. */
function comparison(data: ReportData, places: readonly number[], sort: SortKey): (a: number, b: number) => number {
  const byName = new Intl.Collator('en', { numeric: true }).compare;
  const { targets, samples, level } = data;
  if (sort === 'completeness') {
    // Of the sample that has least.
    const least = Float64Array.from(places, (at) =>
      Math.min(...samples.map(({ depths }) => completeness(depths.targets.at(at) ?? nothing, level))),
    );
    return (a, b) => (least[a] as number) - (least[b] as number) || a - b;
  }
  if (sort === 'gene') {
    const groups = places.map((at) => targets.at(at)?.group ?? '');
    return (a, b) => byName(groups[a] as string, groups[b] as string) || a - b;
  }
  const found = new RegionColumns();
  for (const { target } of rowsOf(data, places)) found.push(target.place);
  return (a, b) => {
    const [one, other] = [found.at(a) as Region, found.at(b) as Region];
    return byName(one.chromosome, other.chromosome) || one.start - other.start || one.end - other.end || a - b;
  };
}

const nothing = { length: 0, reached: [] };

export interface Part {
  /** Places of its targets. */
  shown: readonly number[];
  /** The first row's place, from 1; 0 of none. */
  from: number;
  part: number;
  parts: number;
}

/** The part that was asked for, or the last one; `cells` are those of one row of `all`. */
export function partOf(all: readonly number[], wanted: number, cells: number): Part {
  const size = Math.max(leastTargets, Math.min(mostTargets, Math.floor(quickCells / cells)));
  const parts = Math.max(1, Math.ceil(all.length / size));
  const part = Math.min(Math.max(1, wanted), parts);
  const begin = (part - 1) * size;
  return { shown: all.slice(begin, begin + size), from: Math.min(begin + 1, all.length), part, parts };
}

/** All rows in one part: for files, in which nobody turns to the next. */
export function wholeOf(all: readonly number[]): Part {
  return { shown: all, from: Math.min(1, all.length), part: 1, parts: 1 };
}
