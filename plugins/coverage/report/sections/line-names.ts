/** Figures by the name of lines of BED files: lines of one name are taken together, each of their bases once. */
import type { Texts } from '../../texts/texts.js';
import type { ReportData } from '../data.js';
import { type LineNames, namesLayer } from '../form/bed-lines.js';
import { ofLayer } from '../layers.js';
import { countCell, thresholdColumns } from '../targets.js';
import {
  type Cell,
  fileRows,
  type LazyTable,
  type LongTable,
  type PageSection,
  type TableExtent,
  textCell,
} from '../view.js';
import { asMarked, targetCells } from './expected-copies.js';

/** Rows of a page, and names up to which its table is open. */
const [pageRows, few] = [500, 20];

export function nameSections(data: ReportData, names: LineNames, texts: Texts, extent: TableExtent): PageSection[] {
  const { length } = names.targets;
  const most = extent === 'page' ? pageRows : fileRows;
  const shown = Math.min(length, Math.max(1, Math.floor(most / data.samples.length)));
  return asMarked(data, (seen) => {
    const { rows, ...table } = nameTable(seen, names, texts, shown);
    return [
      {
        ...{ kind: 'table', table: { ...table, rows: [...rows] } },
        ...{ summary: texts.bedNames.count(length), open: length <= few },
        ...(length > shown && { note: texts.gaps.more(length - shown) }),
      },
    ];
  });
}

/** For CSV and TSV. */
export function nameTables(data: ReportData, names: LineNames, texts: Texts): LazyTable[] {
  return [{ name: 'names', make: () => nameTable(data, names, texts) }];
}

/** One row for each name and sample; of the first names if `most` is given. */
function nameTable(data: ReportData, { targets, linesOf }: LineNames, texts: Texts, most = targets.length): LongTable {
  const layer = ofLayer(data, namesLayer, targets);
  return {
    name: 'names',
    title: texts.bedNames.title,
    caption: texts.bedNames.caption,
    columns: [
      // Parts of a table that is too wide for paper have the first two.
      { key: 'name', title: texts.bedNames.name, weight: 1.6 },
      { key: 'sample', title: texts.header.sample, weight: 1.2 },
      { key: 'lines', title: texts.bedNames.lines, numeric: true },
      { key: 'bases', title: texts.gene.bases, numeric: true },
      { key: 'mean_coverage', title: texts.metrics.mean, numeric: true },
      ...thresholdColumns(layer, texts),
    ],
    rows: {
      *[Symbol.iterator]() {
        for (let at = 0; at < most; at++) {
          const name = targets.at(at)?.group ?? '';
          for (const [i, one] of layer.samples.entries()) {
            const bases = one.depths.targets.at(at)?.length ?? 0;
            yield [
              textCell(name, { again: i > 0 }),
              textCell(one.sample.name),
              { ...countCell(linesOf(at), texts), again: i > 0 },
              { ...countCell(bases, texts), again: i > 0 },
              ...targetCells(layer, one, at, texts),
            ] satisfies Cell[];
          }
        }
      },
    },
  };
}
