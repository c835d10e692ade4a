/** Low-coverage regions (gaps): the samples side by side on pages, one row for each region in exports. */
import type { List } from '../domain/list.js';
import { lengthOf, type Region } from '../domain/region.js';
import type { TranscriptPlace } from '../domain/transcript-places.js';
import type { Texts } from '../texts/texts.js';
import { countCell, targetCell } from './cells.js';
import type { TargetGaps } from './gaps.js';
import type { ReportData } from './report-data.js';
import { placeNames, placeText, type ReportTarget } from './target.js';
import { type Cell, type LongTable, type Table, text } from './view.js';

/** Regions that a cell lists at most. */
const listed = 40;

/** One row for each target, the samples side by side. */
export function gapTable({ samples, request }: ReportData, gaps: List<TargetGaps>, texts: Texts): Table {
  return {
    name: 'gaps',
    title: texts.gaps.title(texts.depth(request.level)),
    caption: texts.gaps.caption,
    columns: [
      { key: 'gene', title: texts.gaps.gene },
      { key: 'interval', title: texts.gaps.interval, weight: 2 },
      ...samples.map(({ sample }) => ({ key: sample.name, title: sample.name, weight: 2.4 })),
    ],
    rows: [...gaps].map(({ target, gaps: bySample }) => {
      const describe = gapDescriber(target, texts);
      return [
        text(target.group, target.geneId === undefined ? {} : { gene: target.geneId }),
        targetCell(target, texts),
        ...bySample.map((list): Cell => {
          if (list.length === 0) return { text: texts.gaps.none, value: '', tone: 'good' };
          const shown = list.slice(0, listed).map(describe);
          if (list.length > listed) {
            shown.push(texts.gaps.moreInCell(list.length - listed, lengthOf(list.slice(listed))));
          }
          return { text: shown.join('; '), value: shown.join('; '), list: shown };
        }),
      ];
    }),
  };
}

/** `Exon 12, c.1820_*35` and, on a line of its own, `1:11790600-11790700 (101 bp)`; an exon target's row names its exon. */
function gapDescriber(target: ReportTarget, texts: Texts): (gap: Region) => string {
  const namesOf = placeNames(target);
  return (gap) => {
    const { exon, coding } = namesOf(gap);
    const names = [target.exon === undefined && exon !== '' ? texts.gene.exon(exon) : undefined, coding];
    const named = names.filter((name) => name !== undefined).join(', ');
    const place = `${placeText(gap)} (${texts.number(gap.end - gap.start)}\u00A0bp)`;
    return named === '' ? place : `${named}\n${place}`;
  };
}

/** One row for each gap of each sample. */
export function gapList({ samples, request }: ReportData, gaps: List<TargetGaps>, texts: Texts): LongTable {
  const columns = [
    ...['gene', 'interval', 'transcript', 'exon', 'coding', 'sample'],
    ...['below', 'chromosome', 'first', 'last', 'bases'],
  ];
  const row = (target: ReportTarget, { exon, coding }: TranscriptPlace, sample: string, gap: Region): Cell[] => [
    text(target.group),
    text(target.id),
    text(target.transcript ?? ''),
    text(exon),
    text(coding ?? ''),
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
    rows: {
      *[Symbol.iterator]() {
        for (const { target, gaps: bySample } of gaps) {
          const namesOf = placeNames(target);
          for (const [i, list] of bySample.entries()) {
            for (const gap of list) yield row(target, namesOf(gap), samples[i]?.sample.name ?? '', gap);
          }
        }
      },
    },
  };
}
