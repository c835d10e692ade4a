/** Every interval in every sample: the full table behind a page, for exports. */
import { copiesAt } from '../domain/expected-copies.js';
import { numbered } from '../domain/list.js';
import type { Texts } from '../texts/texts.js';
import { countCell, thresholdColumns } from './cells.js';
import { cohortExportCells, cohortExportColumns } from './cohort-cells.js';
import { targetCells } from './expected.js';
import type { ReportData, SampleCopies } from './report-data.js';
import { type Cell, type LongTable, text } from './view.js';

/** One row for each target and sample. */
export function intervalTable(data: ReportData, texts: Texts): LongTable {
  return {
    name: 'intervals',
    title: texts.header.intervals,
    caption: '',
    columns: [
      ...[
        'gene',
        'interval',
        'transcript',
        'exon',
        'chromosome',
        'first',
        'last',
        'bases',
        'sample',
        'mean_coverage',
      ].map((key) => ({ key, title: key })),
      ...thresholdColumns(data.thresholds, texts),
      ...(data.placeKinds === undefined ? [] : [{ key: 'expected_copies', title: 'expected_copies' }]),
      ...cohortExportColumns(data),
    ],
    rows: { [Symbol.iterator]: () => rowsOf(data, texts) },
  };
}

function* rowsOf(data: ReportData, texts: Texts): Generator<Cell[]> {
  const { targets, samples, comparison, placeKinds } = data;
  for (const [i, target] of numbered(targets)) {
    const { place } = target;
    for (const one of samples) {
      const { sample, depths, copies } = one;
      const own = depths.targets.at(i);
      if (own === undefined) continue;
      yield [
        text(target.group),
        text(target.id),
        text(target.transcript ?? ''),
        target.exon === undefined ? text('') : countCell(target.exon, texts),
        text(place.chromosome),
        countCell(place.start + 1, texts),
        countCell(place.end, texts),
        countCell(own.length, texts),
        text(sample.name),
        ...targetCells(data, one, i, texts),
        ...(placeKinds === undefined ? [] : [expectedCell(placeKinds[i], copies)]),
        ...cohortExportCells(data, sample.name, comparison?.ofTarget(sample.name, i)),
      ];
    }
  }
}

/** Empty if it is unknown, or not the same of all bases. */
function expectedCell(kinds = 0, copies: SampleCopies | undefined): Cell {
  const expected = copies && copiesAt(kinds, copies.shown);
  return expected === undefined ? text('') : { text: String(expected), value: expected };
}
