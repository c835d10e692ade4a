/** The overview: what is not covered completely, sorted, filtered and in parts where it is long. */
import type { Texts } from '../texts/texts.js';
import { arranged, partOf, rowsOf, wholeOf } from './browsing.js';
import { countCell, shareCell, targetCell } from './cells.js';
import { intervalTable } from './interval-table.js';
import { isIncomplete, type ReportData } from './report-data.js';
import { placeText } from './target.js';
import { type Cell, type LazyTable, type LongTable, type Section, text } from './view.js';

/** `whole` has all rows, and not a part of them. */
export function overviewSections(
  data: ReportData,
  texts: Texts,
  whole: boolean,
): { sections: Section[]; tables: LazyTable[] } {
  const { request, targets, samples } = data;
  const depth = texts.depth(request.level);
  const incomplete: number[] = [];
  for (let at = 0; at < targets.length; at++) if (isIncomplete(data, at)) incomplete.push(at);
  const chosen = arranged(data, incomplete, request.view);
  const cells = samples.length + 4;
  const { shown, from, part, parts } = whole ? wholeOf(chosen) : partOf(chosen, request.view.part, cells);
  const range = texts.overview.range(from, from + shown.length - Math.min(1, from));
  const sections: Section[] = [];
  if (incomplete.length === 0) {
    sections.push({ kind: 'heading', id: 'intervals', title: texts.overview.title(depth) });
    sections.push({ kind: 'note', text: texts.overview.none(depth), tone: 'good' });
  } else {
    const long = rowsTable(data, shown, texts.overview.caption(range, chosen.length), texts);
    const table = { ...long, rows: [...long.rows] };
    sections.push({ kind: 'browse', view: { ...request.view, part, parts } });
    sections.push(chosen.length === 0 ? { kind: 'note', text: texts.overview.noMatch } : { kind: 'table', table });
  }
  return {
    sections,
    tables: [
      { name: 'incomplete', make: () => rowsTable(data, chosen, '', texts) },
      { name: 'intervals', make: () => intervalTable(data, texts) },
    ],
  };
}

function rowsTable(data: ReportData, places: readonly number[], caption: string, texts: Texts): LongTable {
  const { samples, request } = data;
  return {
    name: 'incomplete',
    title: texts.overview.title(texts.depth(request.level)),
    caption,
    columns: [
      { key: 'gene', title: texts.overview.gene },
      { key: 'interval', title: texts.overview.interval, weight: 2 },
      { key: 'place', title: texts.overview.place, weight: 1.8 },
      { key: 'bases', title: texts.gene.bases, numeric: true, weight: 0.7 },
      ...samples.map(({ sample }) => ({ key: sample.name, title: sample.name, numeric: true, weight: 1.1 })),
    ],
    rows: { [Symbol.iterator]: () => cellsOf(data, places, texts) },
  };
}

function* cellsOf(data: ReportData, places: readonly number[], texts: Texts): Generator<Cell[]> {
  const { samples, level } = data;
  for (const { target, at } of rowsOf(data, places)) {
    yield [
      text(target.group, target.geneId === undefined ? {} : { gene: target.geneId }),
      targetCell(target, texts),
      text(placeText(target.place)),
      countCell(samples[0]?.depths.targets.at(at)?.length ?? 0, texts),
      ...samples.map(({ depths }) => {
        const own = depths.targets.at(at);
        return own === undefined ? text('') : shareCell(own, level, texts, true);
      }),
    ];
  }
}
