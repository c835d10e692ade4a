/**
 * Tables of intervals and of low-coverage regions (gaps): all of them for exports; on pages the samples side by side, and long
 * tables sorted and filtered as requested, and shown in parts.
 */
import { byName } from '../../../../core/genome.js';
import type { GapFinding } from '../../cohorts/target-comparison.js';
import { copiesAt } from '../../measure/copies.js';
import { completeness } from '../../measure/measure.js';
import { type List, lengthOfRegions, numberedMembers, type Region, RegionColumns } from '../../measure/region.js';
import type { TranscriptPlace } from '../../measure/transcripts.js';
import type { Texts } from '../../texts/texts.js';
import { isLeftOut, type Measurement, type ReportData, type SampleCopies } from '../data.js';
import type { SortKey, TableView } from '../form/request.js';
import { countCell, placeNames, placeText, type ReportTarget, targetCell, thresholdColumns } from '../targets.js';
import { type Cell, fileRows, type LongTable, type PageTable, type TableExtent, textCell } from '../view.js';
import { cohortExportCells, cohortExportColumns, findingText } from './cohorts.js';
import { notExpectedCell, targetCells } from './expected-copies.js';
import { unrankedShare } from './incomplete-genes.js';
import { intervalOfGap, type TargetGaps } from './target-gaps.js';

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
      ...thresholdColumns(data, texts),
      ...(data.placeKinds === undefined ? [] : [{ key: 'expected_copies', title: 'expected_copies' }]),
      ...(data.beds.length > 1 ? [{ key: 'bed_file', title: 'bed_file' }] : []),
      ...cohortExportColumns(data),
    ],
    rows: { [Symbol.iterator]: () => rowsOfIntervals(data, texts) },
  };
}

function* rowsOfIntervals(data: ReportData, texts: Texts): Generator<Cell[]> {
  const { targets, samples, comparison, placeKinds, beds } = data;
  for (const [i, target] of numberedMembers(targets)) {
    const { place } = target;
    for (const one of samples) {
      const { sample, depths, copies } = one;
      const own = depths.targets.at(i);
      if (own === undefined) continue;
      yield [
        textCell(target.group),
        textCell(target.id),
        textCell(target.transcript ?? ''),
        target.exon === undefined ? textCell('') : countCell(target.exon, texts),
        textCell(place.chromosome),
        countCell(place.start + 1, texts),
        countCell(place.end, texts),
        countCell(own.length, texts),
        textCell(sample.name),
        ...targetCells(data, one, i, texts),
        ...(placeKinds === undefined ? [] : [expectedCell(placeKinds[i], copies)]),
        ...(beds.length > 1 ? [textCell(target.file ?? '')] : []),
        ...cohortExportCells(data, sample.name, comparison?.ofTarget(sample.name, i)),
      ];
    }
  }
}

/** Empty if it is unknown, or not the same of all bases. */
function expectedCell(kinds = 0, copies: SampleCopies | undefined): Cell {
  const expected = copies && copiesAt(kinds, copies.shown);
  return expected === undefined ? textCell('') : { text: String(expected), value: expected };
}

// Long tables: sorted and filtered as requested, and shown in parts.

/** Most and fewest targets of one part, and the number of cells that a part should not exceed. */
const [mostTargets, leastTargets, quickCells] = [200, 10, 3000];

interface TargetRow {
  target: ReportTarget;
  /** Its index in the targets. */
  at: number;
}

/** Creates the rows as they are read. */
export function* rowsOfTargets({ targets }: ReportData, places: Iterable<number>): Generator<TargetRow> {
  for (const at of places) {
    const target = targets.at(at);
    if (target !== undefined) yield { target, at };
  }
}

/** Filters and sorts targets as requested. `places` are their indexes, ascending. */
export function arrangedRows(data: ReportData, places: readonly number[], { sort, filter }: TableView): number[] {
  const wanted = filter.toLowerCase();
  const fits = ({ group, id, transcript = '', refseq, place }: ReportTarget) =>
    [group, id, transcript, ...refseq, placeText(place)].some((name) => name.toLowerCase().includes(wanted));
  const kept: number[] = [];
  for (const { target, at } of rowsOfTargets(data, places)) if (wanted === '' || fits(target)) kept.push(at);
  const order = Array.from(kept.keys()).sort(comparison(data, kept, sort));
  return order.map((i) => kept[i] as number);
}

/** Compares targets by their positions in `places`. */
function comparison(data: ReportData, places: readonly number[], sort: SortKey): (a: number, b: number) => number {
  const { targets, samples, level } = data;
  if (sort === 'completeness') {
    // Of the sample with the lowest.
    const least = Float64Array.from(places, (at) =>
      Math.min(
        ...samples.map((one) =>
          isLeftOut(data, one, at) ? unrankedShare : completeness(one.depths.targets.at(at) ?? nothing, level),
        ),
      ),
    );
    return (a, b) => (least[a] as number) - (least[b] as number) || a - b;
  }
  if (sort === 'gene') {
    const groups = places.map((at) => targets.at(at)?.group ?? '');
    return (a, b) => byName(groups[a] as string, groups[b] as string) || a - b;
  }
  const found = new RegionColumns(places.length);
  for (const { target } of rowsOfTargets(data, places)) found.push(target.place);
  return (a, b) => {
    const [one, other] = [found.at(a) as Region, found.at(b) as Region];
    return byName(one.chromosome, other.chromosome) || one.start - other.start || one.end - other.end || a - b;
  };
}

const nothing = { length: 0, reached: [] };

interface TargetPage {
  /** Indexes of its targets. */
  shown: readonly number[];
  /** Number of its first row, from 1; 0 if there is none. */
  from: number;
  part: number;
  parts: number;
}

/** The requested part, or the last one if there are fewer. `cells` is the number of cells of one row. */
export function pageOfTargets(all: readonly number[], wanted: number, cells: number): TargetPage {
  const size = Math.max(leastTargets, Math.min(mostTargets, Math.floor(quickCells / cells)));
  const parts = Math.max(1, Math.ceil(all.length / size));
  const part = Math.min(Math.max(1, wanted), parts);
  const begin = (part - 1) * size;
  return { shown: all.slice(begin, begin + size), from: Math.min(begin + 1, all.length), part, parts };
}

/** The rows of a PDF file, in one part. */
export function filePart(all: readonly number[]): TargetPage {
  return { shown: all.slice(0, fileRows), from: Math.min(1, all.length), part: 1, parts: 1 };
}

// Low-coverage regions (gaps): the samples side by side on pages, one row for each region in exports.

/** Regions that a cell lists at most. */
const listed = 40;
/** Bases on each side of a region that its track shows. */
const surroundings = 500;

/** One row for each target, the samples side by side. */
export function gapTable(data: ReportData, gaps: List<TargetGaps>, texts: Texts, extent: TableExtent): PageTable {
  const { samples, request, caution } = data;
  // On a line of its own.
  const cautionAt = (gap: Region) => {
    const names = caution?.namesAt(gap) ?? [];
    return names.length === 0 ? '' : `\n${texts.caution.at(names.join(', '))}`;
  };
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
        textCell(target.group, target.geneId === undefined ? {} : { gene: target.geneId }),
        targetCell(target, texts),
        ...bySample.map((list, i): Cell => {
          if (isLeftOut(data, samples[i] as Measurement, at)) return notExpectedCell(texts);
          if (list.length === 0) return { text: texts.gaps.none, value: '', tone: 'good' };
          const shown = list.slice(0, listed).map((gap) => describe(gap) + cautionAt(gap) + findingOf(i, gap));
          if (list.length > listed) {
            shown.push(texts.gaps.moreInCell(list.length - listed, lengthOfRegions(list.slice(listed))));
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
  extent: TableExtent,
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
  const { samples, request, comparison, caution } = data;
  const columns = [
    ...['gene', 'interval', 'transcript', 'exon', 'coding', 'sample'],
    ...['below', 'chromosome', 'first', 'last', 'bases'],
    ...(comparison === undefined ? [] : ['kind', 'usually_poor', 'depth_ratio', 'depth_z']),
    ...(caution === undefined ? [] : ['caution']),
  ];
  const row = (target: ReportTarget, { exon, coding }: TranscriptPlace, sample: string, gap: Region): Cell[] => [
    textCell(target.group),
    textCell(target.id),
    textCell(target.transcript ?? ''),
    textCell(exon),
    textCell(coding ?? ''),
    textCell(sample),
    countCell(request.level, texts),
    textCell(gap.chromosome),
    countCell(gap.start + 1, texts),
    countCell(gap.end, texts),
    countCell(gap.end - gap.start, texts),
    ...(comparison === undefined ? [] : findingCells(comparison.ofGap(sample, intervalOfGap(target, gap)))),
    ...(caution === undefined ? [] : [textCell(caution.namesAt(gap).join('; '))]),
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
    return textCell(value === undefined ? '' : String(Math.round(value * 1e4) / 1e4));
  };
  const isUsual = finding === undefined ? '' : String(finding.isUsual);
  return [textCell(finding?.kind ?? ''), textCell(isUsual), rounded(finding?.depth?.ratio), rounded(finding?.depth?.z)];
}
