/** Coding and splice bases apart, and which bases a page counts, in words. */
import type { CdsOpen } from '../contract.js';
import { cdsOpenOf } from '../domain/coding.js';
import type { Depths } from '../domain/measure.js';
import type { Texts } from '../texts/texts.js';
import { countCell, depthCells, shareCell, thresholdColumns } from './cells.js';
import { countedApart, isNonCoding } from './coding.js';
import type { Measurement, ReportData } from './report-data.js';
import { type Cell, type Notice, type Section, type Table, text } from './view.js';

/** Genes, and incomplete coding sequences, that are named; of more, the number is told. */
const mostNamed = 30;

export function codingSections(data: ReportData, texts: Texts): Section[] {
  return data.request.type === 'coding' ? [{ kind: 'table', table: codingTable(data, texts) }] : [];
}

/** Coding and splice bases apart and together, for each sample. */
export function codingTable(data: ReportData, texts: Texts): Table {
  const { samples, thresholds, level, request } = data;
  const { counted: words } = texts;
  return {
    name: 'coding',
    title: words.title,
    caption: words.caption(request.splice),
    columns: [
      { key: 'sample', title: texts.header.sample, weight: 1.3 },
      { key: 'counted', title: words.column, weight: 1.8 },
      { key: 'bases', title: texts.gene.bases, numeric: true },
      { key: 'mean_coverage', title: texts.metrics.mean, numeric: true },
      ...thresholdColumns(thresholds, texts),
    ],
    rows: samples.flatMap(({ sample, depths }): Cell[][] => {
      const { coding, splice, nonCoding } = countedApart(depths);
      const rows = [
        ['coding', coding],
        ['splice', splice],
        ...(nonCoding.length === 0 ? [] : [['nonCoding', nonCoding] as const]),
        ['together', depths.pooled],
      ] as const;
      return rows.map(([kind, own], i) => [
        text(sample.name, { again: i > 0 }),
        text(words.kinds[kind]),
        countCell(own.length, texts),
        ...(own.length === 0
          ? Array.from({ length: 1 + thresholds.length }, (): Cell => ({ text: '–', value: '' }))
          : depthCells(own, thresholds.length, level, texts)),
      ]);
    }),
  };
}

/** What stands in small print in tables of transcripts, if the form asks for coding bases and some are known. */
export function codingNote({ request, samples, level, thresholds }: ReportData, texts: Texts): string[] {
  const isShown = (samples[0]?.depths.beside.codingOfTranscript?.pooled.length ?? 0) > 0;
  return isShown ? [texts.counted.belowTranscripts(texts.depth(thresholds[level] ?? 0), request.splice)] : [];
}

/** What stands below the percentage of a transcript's exonic bases: that of its coding bases, alone and with splice bases. */
export function codingBelow(
  { request: { splice }, level }: Pick<ReportData, 'request' | 'level'>,
  { depths: { beside } }: Measurement,
  at: number,
  texts: Texts,
): string[] {
  const { share } = texts.counted;
  const [coding, withSplice] = [beside.codingOfTranscript?.targets.at(at), beside.withSplice?.targets.at(at)];
  if (coding === undefined || withSplice === undefined || coding.length === 0) return [];
  const textOf = (depths: Depths) => shareCell(depths, level, texts).text;
  return [share.coding(textOf(coding)), ...(splice === 0 ? [] : [share.withSplice(textOf(withSplice))])];
}

/** Genes by how they are counted: those measured by their exons, and those whose coding sequence is not complete. */
export function codingGenes({ targets, request }: Pick<ReportData, 'targets' | 'request'>): {
  nonCoding: string[];
  open: { gene: string; transcript: string; open: CdsOpen }[];
} {
  if (request.type !== 'coding') return { nonCoding: [], open: [] };
  const [nonCoding, open] = [new Set<string>(), new Map<string, { gene: string; transcript: string; open: CdsOpen }>()];
  for (const target of targets) {
    const { group: gene, transcript, model } = target;
    if (isNonCoding(target)) nonCoding.add(gene);
    const missing = model === undefined ? undefined : cdsOpenOf(model);
    if (missing !== undefined && transcript !== undefined) open.set(transcript, { gene, transcript, open: missing });
  }
  return { nonCoding: [...nonCoding].sort(), open: [...open.values()] };
}

/** `Coding bases with 8 splice bases`, `Exons`: which bases of its intervals a page counts. */
export function countedText({ request }: Pick<ReportData, 'request'>, texts: Texts): string {
  return request.type === 'coding' ? texts.counted.fact(request.splice) : texts.types[request.type];
}

/** The same, with the genes that are counted by their exons. */
export function countedFact(data: ReportData, texts: Texts): string {
  const { nonCoding } = codingGenes(data);
  const ofExons = nonCoding.length === 0 ? [] : [texts.counted.ofExons(listCut(nonCoding, texts))];
  return [countedText(data, texts), ...ofExons].join('; ');
}

/** Coding sequences that are incomplete in the gene set. */
export function openNotices(data: ReportData, texts: Texts): Notice[] {
  const { open } = codingGenes(data);
  if (open.length === 0) return [];
  const list = open
    .slice(0, mostNamed)
    .map((one) => `${one.gene} (${one.transcript}): ${texts.counted.openEnds[one.open]}`);
  if (open.length > mostNamed) list.push(texts.warnings.more(open.length - mostNamed));
  return [{ text: texts.counted.open(open.length), list }];
}

/** `coding+8`, `exons`: the same in exports. */
export function countedKey({ request: { type, splice } }: Pick<ReportData, 'request'>): string {
  return type === 'coding' ? `coding+${splice}` : type;
}

/** Names in one line, the first of many. */
function listCut(names: readonly string[], texts: Texts): string {
  const shown = names.slice(0, mostNamed).join(', ');
  return names.length > mostNamed ? `${shown}, ${texts.warnings.more(names.length - mostNamed)}` : shown;
}
