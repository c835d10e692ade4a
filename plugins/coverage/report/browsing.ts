/** Long tables: sorted and filtered as requested, and shown in parts. */
import { completeness } from '../domain/measure.js';
import type { Region } from '../domain/region.js';
import { RegionColumns } from '../domain/region-columns.js';
import type { SortKey, TableView } from '../form/request.js';
import { unranked } from './incomplete-genes.js';
import { isLeftOut, type ReportData } from './report-data.js';
import { placeText, type ReportTarget } from './target.js';
import { fileRows } from './view.js';

/** Most and fewest targets of one part, and the number of cells that a part should not exceed. */
const [mostTargets, leastTargets, quickCells] = [200, 10, 3000];

export interface Row {
  target: ReportTarget;
  /** Its index in the targets. */
  at: number;
}

/** Creates the rows as they are read. */
export function* rowsOf({ targets }: ReportData, places: Iterable<number>): Generator<Row> {
  for (const at of places) {
    const target = targets.at(at);
    if (target !== undefined) yield { target, at };
  }
}

/** Filters and sorts targets as requested. `places` are their indexes, ascending. */
export function arranged(data: ReportData, places: readonly number[], { sort, filter }: TableView): number[] {
  const wanted = filter.toLowerCase();
  const fits = ({ group, id, transcript = '', refseq, place }: ReportTarget) =>
    [group, id, transcript, ...refseq, placeText(place)].some((name) => name.toLowerCase().includes(wanted));
  const kept: number[] = [];
  for (const { target, at } of rowsOf(data, places)) if (wanted === '' || fits(target)) kept.push(at);
  const order = Array.from(kept.keys()).sort(comparison(data, kept, sort));
  return order.map((i) => kept[i] as number);
}

/** Compares targets by their positions in `places`. */
function comparison(data: ReportData, places: readonly number[], sort: SortKey): (a: number, b: number) => number {
  const byName = new Intl.Collator('en', { numeric: true }).compare;
  const { targets, samples, level } = data;
  if (sort === 'completeness') {
    // Of the sample with the lowest.
    const least = Float64Array.from(places, (at) =>
      Math.min(
        ...samples.map((one) =>
          isLeftOut(data, one, at) ? unranked : completeness(one.depths.targets.at(at) ?? nothing, level),
        ),
      ),
    );
    return (a, b) => (least[a] as number) - (least[b] as number) || a - b;
  }
  if (sort === 'gene') {
    const groups = places.map((at) => targets.at(at)?.group ?? '');
    return (a, b) => byName(groups[a] as string, groups[b] as string) || a - b;
  }
  const found = new RegionColumns(places.length);
  for (const { target } of rowsOf(data, places)) found.push(target.place);
  return (a, b) => {
    const [one, other] = [found.at(a) as Region, found.at(b) as Region];
    return byName(one.chromosome, other.chromosome) || one.start - other.start || one.end - other.end || a - b;
  };
}

const nothing = { length: 0, reached: [] };

export interface Part {
  /** Indexes of its targets. */
  shown: readonly number[];
  /** Number of its first row, from 1; 0 if there is none. */
  from: number;
  part: number;
  parts: number;
}

/** The requested part, or the last one if there are fewer. `cells` is the number of cells of one row. */
export function partOf(all: readonly number[], wanted: number, cells: number): Part {
  const size = Math.max(leastTargets, Math.min(mostTargets, Math.floor(quickCells / cells)));
  const parts = Math.max(1, Math.ceil(all.length / size));
  const part = Math.min(Math.max(1, wanted), parts);
  const begin = (part - 1) * size;
  return { shown: all.slice(begin, begin + size), from: Math.min(begin + 1, all.length), part, parts };
}

/** The rows of a PDF file, in one part. */
export function filePart(all: readonly number[]): Part {
  return { shown: all.slice(0, fileRows), from: Math.min(1, all.length), part: 1, parts: 1 };
}
