/** The MANE transcripts of genes: MANE Select and MANE Plus Clinical, each with numbers of its own. */
import type { Texts } from '../texts/texts.js';
import { arranged, partOf, rowsOf, wholeOf } from './browsing.js';
import { countCell, depthCells, thresholdColumns } from './cells.js';
import type { ReportData } from './report-data.js';
import { type Cell, type LazyTable, type Section, type Table, text } from './view.js';

/** `whole` has all rows, and not a part of them. */
export function maneSections(
  data: ReportData,
  texts: Texts,
  whole: boolean,
): { sections: Section[]; tables: LazyTable[] } {
  const { request, targets, samples, thresholds } = data;
  const chosen = arranged(
    data,
    Array.from({ length: targets.length }, (_, at) => at),
    request.view,
  );
  const cells = samples.length * (6 + thresholds.length);
  const { shown, part, parts } = whole ? wholeOf(chosen) : partOf(chosen, request.view.part, cells);
  const sections: Section[] =
    chosen.length === 0
      ? [{ kind: 'note', text: texts.overview.noMatch }]
      : [{ kind: 'table', table: rowsTable(data, shown, texts) }];
  // A table that is short is seen at a glance, unless part of it is hidden.
  if (targets.length > few || chosen.length < targets.length) {
    sections.unshift({ kind: 'browse', view: { ...request.view, part, parts } });
  }
  return { sections, tables: [{ name: 'transcripts', make: () => rowsTable(data, chosen, texts) }] };
}

/** Transcripts among which nobody needs to search. */
const few = 20;

function rowsTable(data: ReportData, places: readonly number[], texts: Texts): Table {
  const { samples, thresholds, level } = data;
  return {
    name: 'transcripts',
    title: texts.mane.title,
    caption: texts.mane.caption,
    columns: [
      { key: 'gene', title: texts.overview.gene },
      { key: 'transcript', title: texts.mane.transcript, weight: 2.2 },
      { key: 'refseq', title: texts.mane.refseq, weight: 1.4 },
      { key: 'bases', title: texts.gene.bases, numeric: true, weight: 0.8 },
      { key: 'sample', title: texts.header.sample, weight: 1.4 },
      { key: 'mean_coverage', title: texts.metrics.mean, numeric: true },
      ...thresholdColumns(thresholds, texts),
    ],
    heading: 1,
    rows: [...rowsOf(data, places)].flatMap(({ target, at }) => {
      const badges = [
        ...(target.maneSelect ? [texts.mane.select] : []),
        ...(target.manePlusClinical ? [texts.mane.plusClinical] : []),
      ];
      return samples.flatMap(({ sample, depths }, s): Cell[][] => {
        const own = depths.targets.at(at);
        if (own === undefined) return [];
        const again = s > 0;
        return [
          [
            text(target.group, { again, ...(again || target.geneId === undefined ? {} : { gene: target.geneId }) }),
            text(target.id, { again, badges: again ? [] : badges }),
            text(target.refseq.join(', '), { again }),
            { ...countCell(own.length, texts), again },
            text(sample.name),
            ...depthCells(own, thresholds.length, level, texts),
          ],
        ];
      });
    }),
  };
}
