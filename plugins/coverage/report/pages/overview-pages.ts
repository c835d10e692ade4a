/** The overviews: the intervals with incomplete coverage, and the coverage of MANE transcripts. */
import type { Texts } from '../../texts/texts.js';
import { incompletePlaces, type ReportData } from '../data.js';
import { cohortCell, cohortColumn, cohortExplanations, cohortSections, completenessCell } from '../sections/cohorts.js';
import { asMarked, leftOutOf, levelCell, targetCells } from '../sections/expected-copies.js';
import { codingNote } from '../sections/header.js';
import { arrangedRows, filePart, intervalTable, pageOfTargets, rowsOfTargets } from '../sections/interval-tables.js';
import { countCell, placeText, targetCell, thresholdColumns, withUnique } from '../targets.js';
import {
  type Cell,
  type LongTable,
  type PageContent,
  type PageSection,
  type PageTable,
  type TableExtent,
  textCell,
} from '../view.js';

export function overviewContent(data: ReportData, texts: Texts): PageContent {
  return {
    sections: (extent) => [
      ...cohortSections(data, texts),
      ...overviewSections(data, texts, extent),
      ...cohortExplanations(data, texts),
    ],
    tables: [
      { name: 'incomplete', make: () => overviewTable(data, incompleteIntervals(data), '', texts) },
      { name: 'intervals', make: () => intervalTable(data, texts) },
    ],
  };
}

function overviewSections(data: ReportData, texts: Texts, extent: TableExtent): PageSection[] {
  const { request, samples } = data;
  const depth = texts.depth(request.level);
  const incomplete = incompletePlaces(data);
  if (incomplete.length === 0) {
    return [
      { kind: 'heading', id: 'intervals', title: texts.overview.title(depth) },
      {
        kind: 'note',
        text: samples.some((one) => leftOutOf(data, one) > 0) ? texts.copies.allExpected : texts.overview.none(depth),
        tone: 'good',
      },
    ];
  }
  const chosen = arrangedRows(data, incomplete, request.view);
  const cells = samples.length + (data.comparison?.cohorts.size ?? 0) + 4;
  const { shown, from, part, parts } =
    extent === 'page' ? pageOfTargets(chosen, request.view.part, cells) : filePart(chosen);
  const browse: PageSection = { kind: 'browse', view: { ...request.view, part, parts } };
  if (chosen.length === 0) return [browse, { kind: 'note', text: texts.overview.noMatch }];
  const range = texts.overview.range(from, from + shown.length - 1);
  const of = extent === 'file' ? { of: chosen.length } : {};
  return [
    browse,
    ...asMarked(data, (seen) => {
      const long = overviewTable(seen, shown, texts.overview.caption(range, chosen.length), texts);
      return [{ kind: 'table', table: { ...long, rows: [...long.rows], ...of } }];
    }),
  ];
}

/** The intervals with incomplete coverage as page, CSV and JSON list them: sorted and filtered as requested. */
export function incompleteIntervals(data: ReportData): number[] {
  return arrangedRows(data, incompletePlaces(data), data.request.view);
}

function overviewTable(data: ReportData, places: readonly number[], caption: string, texts: Texts): LongTable {
  const { samples, request, comparison } = data;
  const depth = texts.depth(request.level);
  return {
    name: 'incomplete',
    title: texts.overview.title(depth),
    caption,
    columns: [
      { key: 'gene', title: texts.overview.gene },
      { key: 'interval', title: texts.overview.interval, weight: 2 },
      { key: 'place', title: texts.overview.place, weight: 1.8 },
      { key: 'bases', title: texts.gene.bases, numeric: true, weight: 0.7 },
      ...samples.flatMap(({ sample: { name } }) => [
        ...withUnique([{ key: name, title: name, numeric: true, weight: 1.1 }], samples),
        ...(comparison?.cohorts.has(name)
          ? [{ key: `${name}_cohort`, title: texts.cohort.cellOf(name, depth), weight: 1.8 }]
          : []),
      ]),
    ],
    rows: { [Symbol.iterator]: () => cellsOfTargets(data, places, texts) },
  };
}

function* cellsOfTargets(data: ReportData, places: readonly number[], texts: Texts): Generator<Cell[]> {
  const { samples, comparison } = data;
  for (const { target, at } of rowsOfTargets(data, places)) {
    yield [
      textCell(target.group, target.geneId === undefined ? {} : { gene: target.geneId }),
      targetCell(target, texts),
      textCell(placeText(target.place)),
      countCell(samples[0]?.depths.targets.at(at)?.length ?? 0, texts),
      ...samples.flatMap((one) => {
        const { name } = one.sample;
        const share = levelCell(data, one, at, texts);
        return comparison?.cohorts.has(name)
          ? [share, completenessCell(comparison.ofTarget(name, at), texts)]
          : [share];
      }),
    ];
  }
}

// The page of MANE transcripts: MANE Select and MANE Plus Clinical, each with its own numbers.

export function maneContent(data: ReportData, texts: Texts): PageContent {
  return {
    sections: (extent) => maneSections(data, texts, extent),
    tables: [{ name: 'transcripts', make: () => maneTable(data, chosenPlaces(data), texts) }],
  };
}

function chosenPlaces(data: ReportData): number[] {
  return arrangedRows(
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
      : asMarked(data, (seen) => [{ kind: 'table', table: { ...maneTable(seen, shown, texts), ...of } }]);
  // A short table is seen at a glance, unless the filter hides part of it.
  if (targets.length > few || chosen.length < targets.length) {
    sections.unshift({ kind: 'browse', view: { ...request.view, part, parts } });
  }
  return [...cohortSections(data, texts), ...sections, ...cohortExplanations(data, texts)];
}

/** Transcripts up to which no filter is needed. */
const few = 20;

function maneTable(data: ReportData, places: readonly number[], texts: Texts): PageTable {
  const { samples, comparison } = data;
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
      ...thresholdColumns(data, texts),
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
