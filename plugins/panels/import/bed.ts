/** Panels as BED: reads the genes that the lines name, and finds lines that do not lie on their gene. */
import { counted } from '../../../core/commands.js';
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
import { type Contig, contigNamed } from '../../../core/genome.js';
import type { GeneStructures } from '../../services/coverage.js';
import { builds, type ExonBuild } from '../genes/exons.js';
import { type GeneTable, geneOfWord } from '../genes/gene-table.js';
import { type Confidence, confidences, type OtherEntry } from '../versions/content.js';
import type { DraftEntry, NamedLine, PanelDraft } from './drafts.js';
import { columnsIn } from './gene-list.js';

// Panels as BED: the genes that the names of lines (column 4) mean. Reports measure exons of genes, so that positions only show
// whether a line lies on its gene. Lines without a name become regions.

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
export function readBed(file: TextFile, meaningOf: MeaningOf): PanelDraft {
  const entries = new Map<string, DraftEntry>();
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
    const entry: DraftEntry = known ?? { at, confidence: 'unrated', ...given, ...more };
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
    notes.push(
      `Lines without a name are regions, which no report looks at, since a BED file states no build: ${others.length}`,
    );
  if (unread) notes.push('Columns after the fourth are not read: names of genes are expected in the fourth');
  return { entries: [...entries.values()], others, notes, lines, source: { kind: 'bed' } };
}

/** A gene that a line names: by the word of the name, with the transcripts that it wants. */
interface LineGene {
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
function titledGenes(more: readonly string[], titled: ReturnType<typeof columnsIn>['places']): LineGene[] {
  // Places count from the chromosome, `more` from the fourth column.
  const cell = (name: 'id' | 'symbol' | 'ensembl') => more[(titled.get(name) ?? 0) - 3] ?? '';
  const [id, symbol] = [cell('id'), cell('symbol') || cell('ensembl')];
  const { hgnc } = geneOfWord(id);
  if (id !== '' && hgnc === undefined) throw new Error(`${quoted(id)} is not an HGNC id`);
  if (hgnc === undefined && symbol === '') return [];
  return [{ ...(hgnc !== undefined && { hgnc }), ...(symbol !== '' && { symbol }), word: symbol }];
}

/** The genes that a name means; none for a line without a name. */
function namedGenes([name = '', ...more]: readonly string[], meaningOf: MeaningOf): LineGene[] {
  const ion = more.flatMap((cell) => ionGene.exec(cell)?.[1] ?? []).join(',');
  const words = (ion !== '' || isNameless(name, meaningOf) ? ion : name.replaceAll('"', ''))
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

/** `hucep-6_100_200` has the form of a position behind a word, but begins with an alias of a gene. */
function isNameless(name: string, meaningOf: MeaningOf): boolean {
  if (!nameless.test(name)) return false;
  const [beginning] = /^[A-Za-z]+-[A-Za-z0-9]+/.exec(name) ?? [];
  const meaning = beginning === undefined ? undefined : meaningOf(beginning);
  return meaning === undefined || (meaning.hgnc === undefined && meaning.candidates.length === 0);
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
    const hgnc = (/^HGNC:/i.test(part) ? geneOfWord(part).hgnc : undefined) ?? meaningOf(part).hgnc;
    return part === '' || hgnc === undefined ? [] : { part, hgnc };
  });
  const [, id, symbol] = /(?<![A-Za-z0-9])HGNC:([1-9]\d{0,8})(?:\|([^\s|]+))?(?!\d)/i.exec(word) ?? [];
  const hgnc = id === undefined ? known[0]?.hgnc : Number(id);
  // What stands for the symbol of an id is compared with it later.
  const beside = parts.filter((part) => part !== '' && (id === undefined || part !== symbol));
  const isOther = (part: string) => {
    if (/^HGNC:/i.test(part)) return geneOfWord(part).hgnc !== hgnc;
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

// Which lines of a BED file name a gene and do not lie on it: a shifted column, a renamed file, another build.

/** Bases beside the exons of a gene that still count as its own: kits have promoters and flanks. */
const beside = 10_000;
/** Genes of one question. */
const portion = 500;
/** Genes that are named. */
const most = 50;

interface LocatedLine extends NamedLine {
  hgnc: number;
}

interface GeneExtent {
  contig: Contig | undefined;
  start: number;
  end: number;
}

/** Sentences by the build that fits most lines, of those of which genes are loaded; none if no build has genes. */
export async function misplacedLines(
  structures: Pick<GeneStructures, 'exonsOf'>,
  named: readonly NamedLine[],
  table: Pick<GeneTable, 'resolve' | 'gene'>,
  signal: AbortSignal,
): Promise<string[]> {
  const lines = named.flatMap((line): LocatedLine[] => {
    const found = table.resolve(line.given);
    return 'gene' in found ? [{ ...line, hgnc: found.gene.hgnc }] : [];
  });
  let best: { build: ExonBuild; wrong: readonly LocatedLine[] } | undefined;
  for (const build of lines.length === 0 ? [] : builds) {
    const extents = await extentsOf(structures, new Set(lines.map(({ hgnc }) => hgnc)), build, signal);
    if (extents === undefined) continue;
    const wrong = lines.filter((line) => !isOn(line, extents.get(line.hgnc)));
    if (best === undefined || wrong.length < best.wrong.length) best = { build, wrong };
  }
  return best === undefined ? [] : sentencesOf(best.wrong, best.build, table);
}

/** By gene; undefined if no genes of the build are loaded. */
async function extentsOf(
  structures: Pick<GeneStructures, 'exonsOf'>,
  ids: ReadonlySet<number>,
  build: ExonBuild,
  signal: AbortSignal,
): Promise<Map<number, GeneExtent[]> | undefined> {
  const all = [...ids];
  const found = new Map<number, GeneExtent[]>();
  for (let from = 0; from < all.length; from += portion) {
    signal.throwIfAborted();
    const genes = all.slice(from, from + portion).map((hgnc) => ({ hgnc }));
    const { transcripts, missing } = await structures.exonsOf(build, genes, { choice: 'all', signal });
    if (missing.some(({ reason }) => reason === 'no-genes-loaded')) return undefined;
    for (const { hgnc, chromosome, exons } of transcripts) {
      const own = found.get(hgnc) ?? [];
      found.set(hgnc, own);
      for (const { start, end } of exons) own.push({ contig: contigNamed(chromosome), start, end });
    }
  }
  return found;
}

/** Whether it lies within the gene and a little beside it. Of a gene without exons nothing is known. */
function isOn({ chromosome, start, end }: NamedLine, exons: readonly GeneExtent[] = []): boolean {
  const contig = contigNamed(chromosome);
  const here = exons.filter((exon) => exon.contig === contig);
  if (exons.length === 0) return true;
  if (here.length === 0) return false;
  const first = here.reduce((least, exon) => Math.min(least, exon.start), Number.POSITIVE_INFINITY);
  const last = here.reduce((greatest, exon) => Math.max(greatest, exon.end), 0);
  return start < last + beside && end > first - beside;
}

function sentencesOf(wrong: readonly LocatedLine[], build: ExonBuild, table: Pick<GeneTable, 'gene'>): string[] {
  const byGene = new Map<number, LocatedLine[]>();
  for (const line of wrong) {
    const own = byGene.get(line.hgnc);
    if (own === undefined) byGene.set(line.hgnc, [line]);
    else own.push(line);
  }
  const sentences = [...byGene].slice(0, most).map(([hgnc, [first, ...more]]) => {
    const { at = '', chromosome = '', start = 0, end = 0 } = first ?? {};
    const others = more.length === 0 ? '' : `, and ${counted(more.length, 'more line')} of it`;
    return `${at}: ${chromosome}:${start + 1}-${end} is not on ${table.gene(hgnc)?.symbol ?? hgnc} in ${build}${others}`;
  });
  const further = byGene.size - sentences.length;
  return further > 0 ? [...sentences, `${counted(further, 'more gene')} with lines elsewhere in ${build}`] : sentences;
}
