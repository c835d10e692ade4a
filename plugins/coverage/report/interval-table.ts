/** Every interval in every sample: the table behind all pages, for exports. */
import type { Texts } from '../texts/texts.js';
import { countCell, depthCells, thresholdColumns } from './cells.js';
import type { Gathered } from './gather.js';
import { type Cell, type Table, text } from './view.js';

/** One row for each target and sample, whatever its coverage: the table of intervals in exports. */
export function intervalTable({ targets, samples, thresholds, level }: Gathered, texts: Texts): Table {
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
      ...thresholdColumns(thresholds, texts),
    ],
    rows: targets.flatMap((target, i) =>
      samples.flatMap(({ sample, depths }): Cell[][] => {
        const own = depths.targets[i];
        if (own === undefined) return [];
        const { place } = target;
        return [
          [
            text(target.group),
            text(target.id),
            text(target.transcript ?? ''),
            target.exon === undefined ? text('') : countCell(target.exon, texts),
            text(place.chromosome),
            countCell(place.start + 1, texts),
            countCell(place.end, texts),
            countCell(own.length, texts),
            text(sample.name),
            ...depthCells(own, thresholds.length, level, texts),
          ],
        ];
      }),
    ),
  };
}
