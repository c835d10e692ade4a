/** The page of MANE transcripts: MANE Select and MANE Plus Clinical, each with its own numbers. */
import type { Texts } from '../../texts/texts.js';
import type { ReportData } from '../data.js';
import { cohortCell, cohortColumn, cohortExplanations, cohortSections } from '../sections/cohort-cells.js';
import { asMarked, targetCells } from '../sections/expected-copies.js';
import { codingNote } from '../sections/header.js';
import { arranged, filePart, pageOfTargets, rowsOfTargets } from '../sections/interval-tables.js';
import { countCell, thresholdColumns } from '../targets.js';
import { type Cell, type PageContent, type PageSection, type PageTable, type TableExtent, textCell } from '../view.js';

export function maneContent(data: ReportData, texts: Texts): PageContent {
  return {
    sections: (extent) => maneSections(data, texts, extent),
    tables: [{ name: 'transcripts', make: () => rowsTable(data, chosenPlaces(data), texts) }],
  };
}

function chosenPlaces(data: ReportData): number[] {
  return arranged(
    data,
    Array.from({ length: data.targets.length }, (_, at) => at),
    data.request.view,
  );
}

function maneSections(data: ReportData, texts: Texts, extent: TableExtent): PageSection[] {
  const { request, targets, samples, thresholds } = data;
  const chosen = chosenPlaces(data);
  const cells = samples.length * (6 + thresholds.length + cohortColumn(data, texts).length);
  const { shown, part, parts } = extent === 'page' ? pageOfTargets(chosen, request.view.part, cells) : filePart(chosen);
  const of = extent === 'file' ? { of: chosen.length * samples.length } : {};
  const sections: PageSection[] =
    chosen.length === 0
      ? [{ kind: 'note', text: texts.overview.noMatch }]
      : asMarked(data, (seen) => [{ kind: 'table', table: { ...rowsTable(seen, shown, texts), ...of } }]);
  // A short table is seen at a glance, unless the filter hides part of it.
  if (targets.length > few || chosen.length < targets.length) {
    sections.unshift({ kind: 'browse', view: { ...request.view, part, parts } });
  }
  return [...cohortSections(data, texts), ...sections, ...cohortExplanations(data, texts)];
}

/** Transcripts up to which no filter is needed. */
const few = 20;

function rowsTable(data: ReportData, places: readonly number[], texts: Texts): PageTable {
  const { samples, thresholds, comparison } = data;
  return {
    name: 'transcripts',
    title: texts.mane.title,
    caption: [texts.mane.caption, ...codingNote(data, texts)].join(' '),
    columns: [
      { key: 'gene', title: texts.overview.gene },
      { key: 'transcript', title: texts.mane.transcript, weight: 2.2 },
      { key: 'refseq', title: texts.mane.refseq, weight: 1.4 },
      { key: 'bases', title: texts.gene.bases, numeric: true, weight: 0.8 },
      { key: 'sample', title: texts.header.sample, weight: 1.4 },
      { key: 'mean_coverage', title: texts.metrics.mean, numeric: true },
      ...thresholdColumns(thresholds, texts),
      ...cohortColumn(data, texts),
    ],
    heading: 1,
    rows: [...rowsOfTargets(data, places)].flatMap(({ target, at }) => {
      const badges = [
        ...(target.maneSelect ? [texts.mane.select] : []),
        ...(target.manePlusClinical ? [texts.mane.plusClinical] : []),
      ];
      return samples.flatMap((one, s): Cell[][] => {
        const { sample } = one;
        const own = one.depths.targets.at(at);
        if (own === undefined) return [];
        const again = s > 0;
        return [
          [
            textCell(target.group, { again, ...(again || target.geneId === undefined ? {} : { gene: target.geneId }) }),
            textCell(target.id, { again, badges: again ? [] : badges }),
            textCell(target.refseq.join(', '), { again }),
            { ...countCell(own.length, texts), again },
            textCell(sample.name),
            ...targetCells(data, one, at, texts),
            ...cohortCell(data, comparison?.ofTarget(sample.name, at), texts),
          ],
        ];
      });
    }),
  };
}
