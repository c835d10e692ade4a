/** The overview: the intervals with incomplete coverage, sorted, filtered and shown in parts. */
import type { Texts } from '../../texts/texts.js';
import { isIncomplete, type ReportData } from '../data.js';
import { cohortExplanations, cohortSections, completenessCell } from '../sections/cohort-cells.js';
import { asMarked, leftOutOf, levelCell } from '../sections/expected-copies.js';
import { arranged, filePart, intervalTable, pageOfTargets, rowsOfTargets } from '../sections/interval-tables.js';
import { countCell, placeText, targetCell } from '../targets.js';
import { type Cell, type LongTable, type PageContent, type PageSection, type TableExtent, textCell } from '../view.js';

export function overviewContent(data: ReportData, texts: Texts): PageContent {
  return {
    sections: (extent) => [
      ...cohortSections(data, texts),
      ...overviewSections(data, texts, extent),
      ...cohortExplanations(data, texts),
    ],
    tables: [
      { name: 'incomplete', make: () => rowsTable(data, incompleteIntervals(data), '', texts) },
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
  const chosen = arranged(data, incomplete, request.view);
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
      const long = rowsTable(seen, shown, texts.overview.caption(range, chosen.length), texts);
      return [{ kind: 'table', table: { ...long, rows: [...long.rows], ...of } }];
    }),
  ];
}

/** The intervals with incomplete coverage as page, CSV and JSON list them: sorted and filtered as requested. */
export function incompleteIntervals(data: ReportData): number[] {
  return arranged(data, incompletePlaces(data), data.request.view);
}

function incompletePlaces(data: ReportData): number[] {
  const places: number[] = [];
  for (let at = 0; at < data.targets.length; at++) if (isIncomplete(data, at)) places.push(at);
  return places;
}

function rowsTable(data: ReportData, places: readonly number[], caption: string, texts: Texts): LongTable {
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
        { key: name, title: name, numeric: true, weight: 1.1 },
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
