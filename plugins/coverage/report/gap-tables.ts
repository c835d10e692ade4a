/** Low-coverage regions (gaps): the samples side by side on pages, one row for each region in exports. */
import type { GapFinding } from '../comparison/gap-finding.js';
import type { List } from '../domain/list.js';
import { lengthOf, type Region } from '../domain/region.js';
import type { TranscriptPlace } from '../domain/transcript-places.js';
import type { Texts } from '../texts/texts.js';
import { countCell, targetCell } from './cells.js';
import { findingText } from './cohort-cells.js';
import { intervalOfGap } from './comparing.js';
import { notExpectedCell } from './expected.js';
import type { TargetGaps } from './gaps.js';
import { isLeftOut, type Measurement, type ReportData } from './report-data.js';
import { placeNames, placeText, type ReportTarget } from './target.js';
import { type Cell, type Extent, type LongTable, type Table, text } from './view.js';

/** Regions that a cell lists at most. */
const listed = 40;
/** Bases on each side of a region that its track shows. */
const surroundings = 500;

/** One row for each target, the samples side by side. */
export function gapTable(data: ReportData, gaps: List<TargetGaps>, texts: Texts, extent: Extent): Table {
  const { samples, request } = data;
  return {
    name: 'gaps',
    title: texts.gaps.title(texts.depth(request.level)),
    caption: texts.gaps.caption,
    columns: [
      { key: 'gene', title: texts.gaps.gene },
      { key: 'interval', title: texts.gaps.interval, weight: 2 },
      ...samples.map(({ sample }) => ({ key: sample.name, title: sample.name, weight: 2.4 })),
    ],
    rows: [...gaps].map(({ target, at, gaps: bySample }) => {
      const describe = gapDescriber(target, texts);
      const findingOf = findingDescriber(data, target, extent, texts);
      return [
        text(target.group, target.geneId === undefined ? {} : { gene: target.geneId }),
        targetCell(target, texts),
        ...bySample.map((list, i): Cell => {
          if (isLeftOut(data, samples[i] as Measurement, at)) return notExpectedCell(texts);
          if (list.length === 0) return { text: texts.gaps.none, value: '', tone: 'good' };
          const shown = list.slice(0, listed).map((gap) => describe(gap) + findingOf(i, gap));
          if (list.length > listed) {
            shown.push(texts.gaps.moreInCell(list.length - listed, lengthOf(list.slice(listed))));
          }
          return {
            text: shown.join('; '),
            value: shown.join('; '),
            list: shown,
            ...trackLinks(samples[i], list, texts),
          };
        }),
      ];
    }),
  };
}

/** For a registered sample; a link must not contain the path of a file. */
function trackLinks(measured: Measurement | undefined, gaps: readonly Region[], texts: Texts): Pick<Cell, 'tracks'> {
  const sample = measured?.sample.registration?.id;
  if (sample === undefined) return {};
  const tracks = gaps.slice(0, listed).map(({ chromosome, start, end }) => {
    const around = { chromosome, start: Math.max(0, start - surroundings), end: end + surroundings };
    return { text: texts.gaps.track, sample, region: placeText(around) };
  });
  return { tracks };
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

/** On a line of its own, which kind the gap is; nothing for samples that are not registered. */
function findingDescriber(
  { samples, comparison }: ReportData,
  target: ReportTarget,
  extent: Extent,
  texts: Texts,
): (sample: number, gap: Region) => string {
  return (sample, gap) => {
    const name = samples[sample]?.sample.name ?? '';
    const words = findingText(comparison?.ofGap(name, intervalOfGap(target, gap)), extent === 'file', texts);
    return words === undefined ? '' : `\n${words}`;
  };
}

/** One row for each gap of each sample. */
export function gapList(data: ReportData, gaps: List<TargetGaps>, texts: Texts): LongTable {
  const { samples, request, comparison } = data;
  const columns = [
    ...['gene', 'interval', 'transcript', 'exon', 'coding', 'sample'],
    ...['below', 'chromosome', 'first', 'last', 'bases'],
    ...(comparison === undefined ? [] : ['kind', 'usually_poor', 'depth_ratio', 'depth_z']),
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
    ...(comparison === undefined ? [] : findingCells(comparison.ofGap(sample, intervalOfGap(target, gap)))),
  ];
  return {
    name: 'gaps',
    title: texts.gaps.title(texts.depth(request.level)),
    caption: texts.gaps.caption,
    columns: columns.map((key) => ({ key, title: key })),
    rows: {
      *[Symbol.iterator]() {
        for (const { target, at, gaps: bySample } of gaps) {
          const namesOf = placeNames(target);
          for (const [i, list] of bySample.entries()) {
            if (isLeftOut(data, samples[i] as Measurement, at)) continue;
            for (const gap of list) yield row(target, namesOf(gap), samples[i]?.sample.name ?? '', gap);
          }
        }
      },
    },
  };
}

function findingCells(finding: GapFinding | undefined): Cell[] {
  const rounded = (value: number | undefined) => {
    return text(value === undefined ? '' : String(Math.round(value * 1e4) / 1e4));
  };
  const isUsual = finding === undefined ? '' : String(finding.isUsual);
  return [text(finding?.kind ?? ''), text(isUsual), rounded(finding?.depth?.ratio), rounded(finding?.depth?.z)];
}
