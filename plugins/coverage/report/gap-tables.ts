/** The stretches below the level: side by side to be read, and one by one for exports. */
import { lengthOf, type Region } from '../domain/region.js';
import type { Texts } from '../texts/texts.js';
import { countCell, targetCell } from './cells.js';
import type { TargetGaps } from './gaps.js';
import type { Gathered } from './gather.js';
import { placeText, type ReportTarget } from './target.js';
import { type Cell, type Table, text } from './view.js';

/** Stretches that a cell lists. */
const listed = 40;

/** One row for each target, the samples side by side. */
export function gapTable({ samples, request }: Gathered, gaps: readonly TargetGaps[], texts: Texts): Table {
  return {
    name: 'gaps',
    title: texts.gaps.title(texts.depth(request.level)),
    caption: texts.gaps.caption,
    columns: [
      { key: 'gene', title: texts.gaps.gene },
      { key: 'interval', title: texts.gaps.interval, weight: 2 },
      ...samples.map(({ sample }) => ({ key: sample.name, title: sample.name, weight: 2.4 })),
    ],
    rows: gaps.map(({ target, gaps: bySample }) => [
      text(target.group, target.geneId === undefined ? {} : { gene: target.geneId }),
      targetCell(target, texts),
      ...bySample.map((list): Cell => {
        if (list.length === 0) return { text: texts.gaps.none, value: '', tone: 'good' };
        const shown = list
          .slice(0, listed)
          .map((gap) => `${placeText(gap)} (${texts.number(gap.end - gap.start)}\u00A0bp)`);
        if (list.length > listed) shown.push(texts.gaps.moreInCell(list.length - listed, lengthOf(list.slice(listed))));
        return { text: shown.join('; '), value: shown.join('; '), list: shown };
      }),
    ]),
  };
}

/** One row for each gap of each sample. */
export function gapList({ samples, request }: Gathered, gaps: readonly TargetGaps[], texts: Texts): Table {
  const columns = ['gene', 'interval', 'transcript', 'exon', 'sample', 'below', 'chromosome', 'first', 'last', 'bases'];
  const row = (target: ReportTarget, sample: string, gap: Region): Cell[] => [
    text(target.group),
    text(target.id),
    text(target.transcript ?? ''),
    target.exon === undefined ? text('') : countCell(target.exon, texts),
    text(sample),
    countCell(request.level, texts),
    text(gap.chromosome),
    countCell(gap.start + 1, texts),
    countCell(gap.end, texts),
    countCell(gap.end - gap.start, texts),
  ];
  return {
    name: 'gaps',
    title: texts.gaps.title(texts.depth(request.level)),
    caption: texts.gaps.caption,
    columns: columns.map((key) => ({ key, title: key })),
    rows: gaps.flatMap(({ target, gaps: bySample }) =>
      bySample.flatMap((list, i) => list.map((gap) => row(target, samples[i]?.sample.name ?? '', gap))),
    ),
  };
}
