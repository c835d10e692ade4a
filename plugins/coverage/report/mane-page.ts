/** The MANE transcripts of genes: MANE Select and MANE Plus Clinical, each with numbers of its own. */
import type { Texts } from '../texts/texts.js';
import { countCell, depthCells, thresholdColumns } from './cells.js';
import type { Gathered } from './gather.js';
import { partOf } from './overview-page.js';
import { type Cell, type LazyTable, type Section, type Table, text } from './view.js';

export function maneSections(gathered: Gathered, texts: Texts): { sections: Section[]; tables: LazyTable[] } {
  const { request, targets } = gathered;
  const order = targets
    .map((target, at) => ({ target, at }))
    .sort((a, b) => collator.compare(a.target.group, b.target.group) || a.at - b.at)
    .map(({ at }) => at);
  const { shown, part, parts } = partOf(order, request.view.part);
  const sections: Section[] = [{ kind: 'table', table: rowsTable(gathered, shown, texts) }];
  if (parts > 1) sections.unshift({ kind: 'browse', view: { ...request.view, part, parts } });
  return { sections, tables: [{ name: 'transcripts', make: () => rowsTable(gathered, order, texts) }] };
}

const collator = new Intl.Collator('en', { numeric: true });

function rowsTable({ targets, samples, thresholds, level }: Gathered, places: readonly number[], texts: Texts): Table {
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
    rows: places.flatMap((at) => {
      const target = targets[at];
      if (target === undefined) return [];
      const badges = [
        ...(target.maneSelect ? [texts.mane.select] : []),
        ...(target.manePlusClinical ? [texts.mane.plusClinical] : []),
      ];
      return samples.flatMap(({ sample, depths }, s): Cell[][] => {
        const own = depths.targets[at];
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
