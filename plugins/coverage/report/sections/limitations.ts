/**
 * What a report is about, by name (its genes with their transcripts, or the intervals of its BED file), and what a negative
 * result on its samples does not exclude.
 */
import { byName } from '../../../../core/genome.js';
import type { Gene } from '../../contract.js';
import { completeness, percentOfShare } from '../../measure/measure.js';
import type { Texts } from '../../texts/texts.js';
import { notMeasuredText, type ReportData } from '../data.js';
import { uncoveredEntries } from '../panel.js';
import { cutList, isNonCoding } from '../targets.js';
import { type Cell, fileRows, type PageSection, type PageTable, type TableExtent, textCell } from '../view.js';
import { cautionText } from './caution.js';
import { leftOutOf } from './expected-copies.js';

/** Names that a page lists; a PDF file has as many as rows of a table. */
const pageNames = 1000;
/** Characters of a name that are shown, as of other names in forms. */
const longestName = 200;
/** Transcripts that are listed of one gene. */
const geneTranscripts = 4;

export function contentSections(data: ReportData, texts: Texts, extent: TableExtent): PageSection[] {
  const most = extent === 'page' ? pageNames : fileRows;
  const { content } = texts.limits;
  if (data.request.type === 'custom_intervals') {
    const { names, isCut } = lineNames(data, most);
    const lines = data.targets.length;
    const summary = isCut ? content.manyNames(lines) : content.countLines(names.length, lines);
    return [section(content.lines, content.linesCaption, summary, names, isCut ? content.more : undefined)];
  }
  const genes = geneNames(data, texts);
  if (genes.length === 0) return [];
  const note = genes.length > most ? content.more : undefined;
  const names = genes.slice(0, most);
  const caption = data.request.type === 'coding' ? content.codingCaption : content.genesCaption;
  return [section(content.genes, caption, content.countGenes(genes.length), names, note)];
}

function section(
  title: string,
  caption: string,
  summary: string,
  names: readonly string[],
  note: string | undefined,
): PageSection {
  return { kind: 'names', id: 'listed', title, caption, summary, names, ...(note === undefined ? {} : { note }) };
}

/** Distinct names, in the order of the lines. */
function lineNames({ targets }: ReportData, most: number): { names: string[]; isCut: boolean } {
  const names = new Set<string>();
  for (const { group } of targets) {
    const name =
      group.length <= longestName
        ? group
        : `${[...group.slice(0, 2 * longestName)].slice(0, longestName - 1).join('')}…`;
    if (names.size === most && !names.has(name)) return { names: [...names], isCut: true };
    names.add(name);
  }
  return { names: [...names], isCut: false };
}

interface GeneEntry {
  gene: Gene;
  /** Ensembl id, with the RefSeq match if there is one. */
  transcripts: Set<string>;
  isNonCoding: boolean;
}

/** `MTHFR (HGNC:7436; ENST00000376590, NM_005957.5)`, by symbol. */
function geneNames({ selected, request }: ReportData, texts: Texts): string[] {
  const genes = new Map<string, GeneEntry>();
  for (const { gene, transcript, coding } of selected) {
    // A gene on X and Y has two positions and one name.
    const one = genes.get(gene.ensembl) ?? { gene, transcripts: new Set(), isNonCoding: isNonCoding({ coding }) };
    genes.set(gene.ensembl, one);
    if (transcript === undefined || request.type === 'genes') continue;
    const { maneSelect, manePlusClinical } = transcript.references;
    one.transcripts.add([transcript.ensembl, maneSelect[0] ?? manePlusClinical[0]].filter(Boolean).join(' = '));
  }
  return [...genes.values()]
    .map(({ gene, transcripts, isNonCoding: isOfExons }) => {
      const shown = [...transcripts].slice(0, geneTranscripts);
      const further = transcripts.size - shown.length;
      if (further > 0) shown.push(texts.limits.content.furtherTranscripts(further));
      const id = gene.hgnc === undefined ? gene.ensembl : `HGNC:${gene.hgnc}`;
      const ids = [id, shown.join(', '), isOfExons ? texts.counted.nonCoding : ''].filter(Boolean);
      return `${gene.symbol ?? gene.ensembl} (${ids.join('; ')})`;
    })
    .sort(byName);
}

// What a negative result on the report's samples does not exclude.

/** Reads that must show a variant, as callers usually ask for. */
const leastReads = [3, 4] as const;
/** Genes, and entries of a panel, that are named. */
const mostNamed = 100;

export function limitationSections(data: ReportData, texts: Texts): PageSection[] {
  return [
    { kind: 'terms', title: texts.limits.title, items: limitationsOfReport(data, texts) },
    { kind: 'table', table: samplingTable(data, texts) },
  ];
}

/** Each with a short name. */
export function limitationsOfReport(data: ReportData, texts: Texts): (readonly [term: string, text: string])[] {
  const { request, caution, known } = data;
  const { limits } = texts;
  const depth = texts.depth(request.level);
  const missing = unmeasured(data, texts);
  const isBed = request.type === 'custom_intervals';
  return [
    [limits.statement, limits.statementText(depth)],
    [limits.below(depth), belowText(data, texts)],
    ...(missing === '' ? [] : [[limits.unmeasured, missing] as const]),
    [limits.outside, limits.outsideOf[request.type]],
    [limits.kinds, limits.kindsText],
    [texts.caution.title, caution === undefined ? texts.caution.notLoaded(request.build) : cautionText(caution, texts)],
    [limits.person, limits.personText],
    ...(known === undefined
      ? [[limits.known, isBed ? limits.knownBed : limits.knownNone(request.build)] as const]
      : []),
  ];
}

function belowText(data: ReportData, texts: Texts): string {
  const { samples, level, request } = data;
  const { limits, number, decimal } = texts;
  const depth = texts.depth(request.level);
  const list = samples.flatMap(({ sample, depths: { pooled } }) => {
    const below = pooled.length - (pooled.reached[level] ?? 0);
    if (below === 0) return [];
    // The counterpart of the percentage that the report states.
    const percent = 100 - percentOfShare(completeness(pooled, level));
    return [limits.belowOf(sample.name, number(below), number(pooled.length), `${decimal(percent)} %`)];
  });
  const isWhole = !samples.some((one) => leftOutOf(data, one) > 0);
  if (list.length === 0) return isWhole ? limits.noneBelow(depth) : texts.copies.allExpected;
  return limits.belowText(list.join('; '), depth);
}

function unmeasured(data: ReportData, texts: Texts): string {
  const { limits, warnings } = texts;
  const { notMeasured, notIncluded } = data;
  const cut = (list: readonly string[]) => cutList(list, mostNamed, texts).join('; ');
  const genes = cut(notMeasured.map((one) => notMeasuredText(one, warnings)));
  // Genes that could not be measured are listed above.
  const left = uncoveredEntries(data).filter(({ kind, why }) => kind !== 'gene' || why.code === 'confidence');
  const entries = cut(left.map(({ name }) => name));
  return [
    genes === '' ? '' : limits.unmeasuredGenes(genes),
    entries === '' ? '' : limits.unmeasuredEntries(entries),
    notIncluded.length === 0 ? '' : limits.unmeasuredSamples(notIncluded.map(({ asked }) => asked.name).join(', ')),
  ]
    .filter(Boolean)
    .join(' ');
}

/** At each reported depth. */
function samplingTable({ thresholds }: ReportData, texts: Texts): PageTable {
  const { limits } = texts;
  return {
    name: 'sampling',
    title: limits.sampling,
    caption: limits.samplingCaption,
    columns: [
      { key: 'reads', title: limits.reads, weight: 1.5 },
      ...thresholds.map((depth) => ({ key: `sensitivity_${depth}_percent`, title: texts.depth(depth), numeric: true })),
    ],
    rows: leastReads.map((least): Cell[] => [
      textCell(`≥ ${least}`),
      ...thresholds.map((depth) => textCell(sensitivityText(samplingSensitivity(depth, least), texts))),
    ]),
  };
}

/** The definition, as an item of the explanations. */
export function samplingTerm({ request }: ReportData, texts: Texts): readonly [string, string] {
  const { terms } = texts.sites;
  const [three = '', four = ''] = leastReads.map((least) =>
    sensitivityText(samplingSensitivity(request.level, least), texts),
  );
  return [terms.sampling, terms.samplingText(texts.depth(request.level), three, four)];
}

/** Never rounded up to certainty. */
function sensitivityText(chance: number, texts: Texts): string {
  return `${texts.decimal(Math.min(99.99, Math.floor(chance * 10_000) / 100))} %`;
}

// How likely sampling alone shows a heterozygous variant.

/**
 * The probability that at least `least` of `depth` reads show the alternate allele, if each shows either allele with
 * probability ½: 1 − Σ C(depth, i) / 2^depth over i below `least`.
 */
export function samplingSensitivity(depth: number, least: number): number {
  let missed = 0;
  let ways = 1;
  for (let seen = 0; seen < least && seen <= depth; seen++) {
    missed += ways * 2 ** -depth;
    ways = (ways * (depth - seen)) / (seen + 1);
  }
  return Math.max(0, 1 - missed);
}
