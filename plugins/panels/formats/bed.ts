/**
 * Panels as BED: the genes that the names of lines (column 4) mean. Reports measure exons of genes, so that positions only show
 * whether a line lies on its gene. Lines without a name become regions.
 */
import {
  bedColumns,
  bedRegion,
  eachLine,
  fileFault,
  isBedHeading,
  isBesideBed,
  quoted,
  type TextFile,
} from '../../../core/files.js';
import { type Confidence, confidences, type OtherEntry } from '../domain/content.js';
import { wordOf } from '../genes/word.js';
import { columnsIn } from './gene-list.js';
import type { GivenEntry, GivenPanel, NamedLine } from './given-panel.js';

/** What a word means: the one gene that is certain, or genes that it may mean, such as those of an alias. */
export type MeaningOf = (word: string) => { hgnc: number } | { hgnc?: undefined; candidates: readonly number[] };

/** Regions that a panel may have. */
const mostRegions = 5000;

/** Ensembl and RefSeq ids of transcripts within a name. */
const transcriptForm = /(?<![A-Za-z0-9])(?:ENST\d{11}|[NX][MR]_\d{6,12})(?:\.\d{1,3})?(?![A-Za-z0-9])/g;

/** What the lines with # of an export say of genes that have no lines. */
const withoutLines = /^# (?:No lines|Left out as (?<level>\w+)): HGNC:(?<hgnc>[1-9]\d{0,8}) (?<symbol>[^\s:]+)/;

/** And what they say of entries for which there is no gene. */
const withoutGene = /^# No gene: (.+?): /;

/**
 * Whether the first line of data has two whole numbers after its first column. Names of columns may be before it, unless they are
 * those of a table of genes.
 */
export function isBed(text: string): boolean {
  let isFirst = true;
  for (const line of text.split('\n', 1000)) {
    if (isBesideBed(line)) continue;
    const columns = bedColumns(line);
    const isTable = line.includes('\t') && columnsIn(columns).places.size > 0;
    if (isFirst && isBedHeading(columns) && !isTable) {
      isFirst = false;
      continue;
    }
    return /^[^\t ]+[\t ]+\d+[\t ]+\d+(?:\s|$)/.test(line);
  }
  return false;
}

/** Throws an `unprocessable` fault with file and line. */
export function readBed(file: TextFile, meaningOf: MeaningOf): GivenPanel {
  const entries = new Map<string, GivenEntry>();
  const others: OtherEntry[] = [];
  const notes: string[] = [];
  const lines: NamedLine[] = [];
  let titled: ReturnType<typeof columnsIn>['places'] = new Map();
  let unread = false;

  function add(
    given: { hgnc?: number; symbol?: string },
    at: string,
    transcripts: readonly string[],
    more = {},
  ): boolean {
    const key = given.hgnc === undefined ? `${given.symbol}` : `HGNC:${given.hgnc}`;
    const known = entries.get(key);
    const wanted = [...new Set([...(known?.transcripts ?? []), ...transcripts])];
    const entry: GivenEntry = known ?? { at, confidence: 'unrated', ...given, ...more };
    entries.set(key, wanted.length === 0 ? entry : { ...entry, transcripts: wanted });
    return known === undefined;
  }

  eachLine(file, (line, number) => {
    const at = `line ${number}`;
    const { level, hgnc, symbol } = withoutLines.exec(line)?.groups ?? {};
    if (hgnc !== undefined && symbol !== undefined) add({ hgnc: Number(hgnc), symbol }, at, [], leftOut(level));
    const [, open] = withoutGene.exec(line) ?? [];
    if (open !== undefined) add({ symbol: open }, at, []);
    if (/^#chrom/i.test(line)) titled = columnsIn(bedColumns(line)).places;
    if (isBesideBed(line)) return;
    const columns = bedColumns(line);
    if (entries.size + others.length === 0 && isBedHeading(columns)) {
      titled = columnsIn(columns).places;
      return;
    }
    const { chromosome, start, end } = bedRegion(columns);
    const more = columns.slice(3);
    if (more.some((cell) => /\p{Cc}/u.test(cell))) throw new Error('expected text without control characters');
    const given = titled.size > 0 ? titledGenes(more, titled) : namedGenes(more, meaningOf);
    if (given.length === 0) {
      const unseen = more.slice(1).find((cell) => meaningOf(cell).hgnc !== undefined);
      if (unseen !== undefined && titled.size === 0)
        throw new Error(`expected the name of the gene in column 4, found ${quoted(unseen)} in a later one`);
      if (others.length === mostRegions) throw new Error(`expected at most ${mostRegions} lines without a name`);
      const place = `${chromosome}:${start + 1}-${end}`;
      others.push({ kind: 'region', name: place, confidence: 'unrated', place });
      return;
    }
    unread ||= titled.size === 0 && more.slice(1).some((cell) => !/^[-+.,\d]*$/.test(cell) && !ionGene.test(cell));
    for (const { word, transcripts = [], ...gene } of given) {
      lines.push({ given: gene, at, chromosome, start, end });
      const isNew = add(gene, at, transcripts);
      if (isNew && gene.hgnc === undefined && gene.symbol !== word)
        notes.push(`${at}: ${word} is read as ${gene.symbol}`);
    }
  });
  if (entries.size + others.length === 0) throw fileFault(file.name, 'it has no regions');
  if (others.length > 0)
    notes.push(`Lines without a name are regions, which reports on genes do not cover: ${others.length}`);
  if (unread) notes.push('Columns after the fourth are not read: names of genes are expected in the fourth');
  return { entries: [...entries.values()], others, notes, lines, source: { kind: 'bed' } };
}

/** A gene that a line names: by the word of the name, with the transcripts that it wants. */
interface NamedGene {
  hgnc?: number;
  symbol?: string;
  word: string;
  transcripts?: readonly string[];
}

/** The column of Ion Torrent's designs, whose names are those of amplicons: `GENE_ID=BAP1;Pool=1`. */
const ionGene = /(?:^|;)\s*GENE_ID=([^;]*)/i;

/** Names that say nothing: none, or a position again (`chr1:100-200`, `CEX-chr1-100-200`). */
const nameless = /^(?:[-.]?|(?:[A-Za-z]+-)?(?:chr)?(?:[1-9]\d?|X|Y|MT?)[:_.-]\d+[_.-]\d+)$/i;

/** Ids that kits write beside a gene, as in `ref|BAP1,ens|ENST00000460680,ccds|CCDS2853.1,mRNA|AF045581`. */
const idBeside = /^(?:(?:ens|ccds|mrna|vega|mirna)\|(?!ENSG)|CCDS\d|(?:ref|refseq)\|(?:[NX][MR]_|ENST))/i;

/** `key=value`, as in `gene_name=BAP1;transcript_id=ENST00000460680`: keys of genes, and others. */
const keyed = /^(\w+)=(.*)$/;
const geneKey = /^(?:gene(?:_?(?:name|symbol|id))?|symbol|hgnc(?:_?(?:id|symbol))?)$/i;

/** The genes of a line under a header, as Scout writes it: `#chromosome gene_start gene_stop hgnc_id hgnc_symbol`. */
function titledGenes(more: readonly string[], titled: ReturnType<typeof columnsIn>['places']): NamedGene[] {
  // Places count from the chromosome, `more` from the fourth column.
  const cell = (name: 'id' | 'symbol' | 'ensembl') => more[(titled.get(name) ?? 0) - 3] ?? '';
  const [id, symbol] = [cell('id'), cell('symbol') || cell('ensembl')];
  const { hgnc } = wordOf(id);
  if (id !== '' && hgnc === undefined) throw new Error(`${quoted(id)} is not an HGNC id`);
  if (hgnc === undefined && symbol === '') return [];
  return [{ ...(hgnc !== undefined && { hgnc }), ...(symbol !== '' && { symbol }), word: symbol }];
}

/** The genes that a name means; none for a line without a name. */
function namedGenes([name = '', ...more]: readonly string[], meaningOf: MeaningOf): NamedGene[] {
  const ion = more.flatMap((cell) => ionGene.exec(cell)?.[1] ?? []).join(',');
  const words = (nameless.test(name) || ion !== '' ? ion : name.replaceAll('"', ''))
    .split(/[,;]/)
    .flatMap((word) => word.trim() || []);
  const genes = words.filter((word) => !isBeside(word));
  // Without a gene, the ids are all that there is: one entry, for a person to read.
  if (genes.length === 0 && words.length > 0) return [{ symbol: name, word: name }];
  const named = genes.map((word) => ({
    ...geneIn(keyed.exec(word)?.[2] ?? word, meaningOf),
    word,
    transcripts: word.match(transcriptForm) ?? [],
  }));
  const [first, ...others] = named.filter(({ word }) => !isTranscript(word));
  // Of several genes it is not certain which one wants the transcript, and an open entry keeps its name alone.
  const isCertain = first && (first.hgnc ?? meaningOf(first.symbol ?? '').hgnc) !== undefined;
  if (!isCertain || others.length > 0) return named;
  return [{ ...first, transcripts: named.flatMap(({ transcripts }) => transcripts) }];
}

/** Whether a word is the id of a transcript alone, as in `BAP1;NM_004656.4`. */
function isTranscript(word: string): boolean {
  return word.replaceAll(transcriptForm, '').trim() === '';
}

function isBeside(word: string): boolean {
  const [, key] = keyed.exec(word) ?? [];
  return idBeside.test(word) || (key !== undefined && !geneKey.test(key));
}

/** Parts that number the regions of a gene, although some are aliases of others (`E3` is one of DLD). */
const numbering = /^(?:e|ex|exon|i|in|int|intron|t|target|r|region|a|amp|amplicon|p|probe|c|chr)?\d{0,4}[a-z]?$/i;

/**
 * `HGNC:950|BAP1|…`, an id, or a symbol; else the one gene of which parts of the name are symbols or Ensembl ids, as in
 * `BAP1_exon3`, if no other part names another gene, be it by an alias. A name with none, or several, is left as it is: no gene will
 * be found for it, so that it blocks signing.
 */
function geneIn(word: string, meaningOf: MeaningOf): { hgnc?: number; symbol?: string } {
  if (meaningOf(word).hgnc !== undefined) return { symbol: word };
  const parts = word.replaceAll(transcriptForm, ' ').split(/[|_()[\]\s.]+|(?<!HGNC):/i);
  const known = parts.flatMap((part) => {
    const hgnc = (/^HGNC:/i.test(part) ? wordOf(part).hgnc : undefined) ?? meaningOf(part).hgnc;
    return part === '' || hgnc === undefined ? [] : { part, hgnc };
  });
  const [, id, symbol] = /(?<![A-Za-z0-9])HGNC:([1-9]\d{0,8})(?:\|([^\s|]+))?(?!\d)/i.exec(word) ?? [];
  const hgnc = id === undefined ? known[0]?.hgnc : Number(id);
  // What stands for the symbol of an id is compared with it later.
  const beside = parts.filter((part) => part !== '' && (id === undefined || part !== symbol));
  const isOther = (part: string) => {
    if (/^HGNC:/i.test(part)) return wordOf(part).hgnc !== hgnc;
    const meaning = meaningOf(part);
    if (meaning.hgnc !== undefined) return meaning.hgnc !== hgnc;
    return meaning.candidates.length > 0 && !numbering.test(part) && !meaning.candidates.includes(hgnc as number);
  };
  if (hgnc === undefined || beside.some(isOther)) return { symbol: word };
  if (id !== undefined) return { hgnc, ...(symbol !== undefined && { symbol }) };
  return { symbol: known[0]?.part ?? word };
}

function leftOut(level: string | undefined): { confidence?: Confidence } {
  const confidence = confidences.find((one) => one === level);
  return confidence === undefined ? {} : { confidence };
}
