/**
 * Genes, transcripts and exons: their positions (zero-based half-open, in bases), how the names of genes are written, and which
 * gene of the loaded sets a name means.
 */
import { ensemblId } from '../../../core/genome.js';

export const builds = ['GRCh37', 'GRCh38'] as const;
export type Build = (typeof builds)[number];

/** In the order of lists. The names in files (`chr1`, `chrM`, `M`) become these. */
export const chromosomes = [
  ...Array.from({ length: 22 }, (_, i) => String(i + 1)),
  'X',
  'Y',
  'MT',
] as readonly string[] as readonly Chromosome[];

type Autosome = `${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22}`;
export type Chromosome = Autosome | 'X' | 'Y' | 'MT';

/** A run of bases of a chromosome: [start, end), start < end. */
export interface Span {
  start: number;
  end: number;
}

export interface Place extends Span {
  chromosome: Chromosome;
}

export type Strand = 1 | -1;

export interface Gene extends Place {
  /** Stable id without version: `ENSG00000177000`; of RefSeq files `GeneID:4524`. A gene may have two positions (X and Y). */
  ensembl: string;
  /** 7436 for `HGNC:7436`. */
  hgnc?: number;
  symbol?: string;
  /** As in the source: `protein_coding`. */
  biotype?: string;
  strand?: Strand;
}

/** The names of a transcript in other catalogues, and of a RefSeq transcript its own accession with version: each list in order of appearance, without duplicates. */
export interface References {
  refseqMrna: string[];
  refseqMrnaPredicted: string[];
  refseqNcrna: string[];
  /**
   * `NM_005957.5`, or [] if the source marks the transcript as MANE Select without naming its RefSeq match. Of RefSeq files its
   * own accession, then its match in Ensembl: `ENST00000376590.9`.
   */
  maneSelect: string[];
  manePlusClinical: string[];
}

export interface Transcript extends Place {
  /**
   * Stable id without version: `ENST00000376590`; of RefSeq files `NM_005957`, or the id in the file (`rna-TRNF`) of transcripts
   * without an accession. Once in a set for each chromosome that it is on.
   */
  ensembl: string;
  /** The id of its gene. */
  gene: string;
  references: References;
  /** The source marks it as MANE Select, or names its RefSeq match. */
  isManeSelect: boolean;
  isManePlusClinical: boolean;
  biotype?: string;
  strand?: Strand;
}

/** Which ends of a coding sequence are missing in the source, in the direction of transcription. */
export const cdsOpenEnds = ['start', 'end', 'both'] as const;
export type CdsOpen = (typeof cdsOpenEnds)[number];

/** An exon of one transcript. An exon that several transcripts share is stored once for each. */
export interface Exon extends Place {
  /** Stable id without version: `ENSE00001471080`; of RefSeq files its place, `1:11790682-11791000`. */
  ensembl: string;
  gene: string;
  transcript: string;
  /** Number of the exon in the transcript, in the direction of transcription, from 1. */
  rank: number;
  strand?: Strand;
  /** The untranslated parts of the exon, as the source states them or as what `cds` leaves. */
  utr5?: Span;
  utr3?: Span;
  /** The coding part with start and stop codon, if the source states it; see `codingParts`. */
  cds?: Span;
  /** Set on the first or last coding exon of a transcript whose coding sequence the source does not have to that end. */
  cdsOpen?: CdsOpen;
}

export interface TranscriptWithExons extends Transcript {
  /** By rank. Empty if no exons are loaded. */
  exons: Exon[];
}

/** The names of a gene in HGNC's list. */
export interface GeneNames {
  hgnc: number;
  /** Approved symbol. */
  symbol: string;
  previous: string[];
  aliases: string[];
  ensembl?: string;
}

/**
 * The coding parts of a transcript, by start; empty if it has none. If the source states coding parts, those; if it states
 * untranslated parts only (BioMart), what they leave of the exons. Undefined if it states neither for any exon: then it
 * is unknown whether the transcript is coding.
 */
export function codingParts({ exons }: Pick<TranscriptWithExons, 'exons'>): Span[] | undefined {
  if (exons.some(({ cds }) => cds)) return exons.flatMap(({ cds }) => (cds ? [cds] : [])).sort(byStart);
  if (!exons.some(({ utr5, utr3 }) => utr5 || utr3)) return undefined;
  return exons.flatMap(({ start, end, utr5, utr3 }) => without({ start, end }, [utr5, utr3])).sort(byStart);
}

/** What untranslated parts leave of a span. They are at its ends, or fill it. */
function without(span: Span, parts: readonly (Span | undefined)[]): Span[] {
  let { start, end } = span;
  for (const part of parts) {
    if (!part) continue;
    if (part.start <= start) start = Math.max(start, part.end);
    else end = Math.min(end, part.start);
  }
  return start < end ? [{ start, end }] : [];
}

function byStart(left: Span, right: Span): number {
  return left.start - right.start;
}

/** Orders by chromosome, start, end and Ensembl id. */
export function byPlace(left: Place & { ensembl: string }, right: Place & { ensembl: string }): number {
  return (
    chromosomes.indexOf(left.chromosome) - chromosomes.indexOf(right.chromosome) ||
    left.start - right.start ||
    left.end - right.end ||
    (left.ensembl < right.ensembl ? -1 : Number(left.ensembl > right.ensembl))
  );
}

/** By place; exons of one place by transcript, then by rank. */
export function byPlaceAndRank(left: Gene | Transcript | Exon, right: Gene | Transcript | Exon): number {
  const place = byPlace(left, right);
  if (place !== 0 || !('rank' in left && 'rank' in right)) return place;
  return left.transcript === right.transcript ? left.rank - right.rank : left.transcript < right.transcript ? -1 : 1;
}

// The names of genes.

/** A name of a request, by its kind. */
export type GeneName =
  /** `7436`, `HGNC:7436` in any case. */
  | { kind: 'hgnc'; id: number }
  /** `ENSG00000177000`, with or without version or suffix (`.14`, `.14_12`, `.14_PAR_Y`); `GeneID:4524` of RefSeq; in any case. */
  | { kind: 'ensembl'; id: string }
  /** Anything else; case-insensitive. */
  | { kind: 'symbol'; key: string };

/** Longer than any symbol or id. */
const longest = 100;

/** Undefined for text that cannot be the name of a gene: blank, too long, or with control characters. */
export function geneName(asked: string): GeneName | undefined {
  const text = asked.trim();
  if (text === '' || text.length > longest || /\p{C}/u.test(text)) return undefined;
  const number = /^(?:HGNC:\s*)?0*(\d{1,9})$/i.exec(text)?.[1];
  if (number !== undefined) return { kind: 'hgnc', id: Number(number) };
  const stable = ensemblId(text, 'ENSG');
  if (stable !== undefined) return { kind: 'ensembl', id: stable };
  const ncbi = /^GeneID:(\d{1,10})$/i.exec(text)?.[1];
  if (ncbi !== undefined) return { kind: 'ensembl', id: `GeneID:${ncbi}` };
  return { kind: 'symbol', key: symbolKey(text) };
}

/** The form in which symbols are compared. */
export function symbolKey(symbol: string): string {
  return symbol.trim().toUpperCase();
}

// The result of looking up one gene.

/**
 * How a gene was found: by its id, its symbol (in the gene set, or approved), a previous symbol or an alias. Storages do not
 * find genes by transcripts.
 */
export type FoundBy = 'hgnc' | 'ensembl' | 'symbol' | 'previous' | 'alias' | 'transcript';

/**
 * Why a gene was not found: the text cannot be the name of a gene; no genes are loaded for the build; no gene has the
 * name; a gene has it, but is not in the set of this build; several genes have it. If the name is the id of a transcript: no
 * transcripts are loaded for the build; none of them has the id, or its gene is not in the set.
 */
export type NotFoundBy =
  | 'malformed'
  | 'no-genes-loaded'
  | 'unknown'
  | 'not-in-build'
  | 'ambiguous'
  | 'no-transcripts-loaded'
  | 'unknown-transcript';

/** The result for one name of a look-up. */
export type GeneAnswer =
  | {
      asked: string;
      by: FoundBy;
      /** At least one, by position: some genes have several positions or Ensembl ids. */
      genes: Gene[];
    }
  | {
      asked: string;
      reason: NotFoundBy;
      /** If ambiguous: the HGNC ids (`HGNC:7436`) that it may mean, ascending. */
      candidates?: string[];
    };

// Resolves the names of a request to genes: which of the rows that a store has for a name decides.

/** One name of a gene in HGNC's list. */
export interface NameRow {
  /** As `symbolKey` makes it. */
  key: string;
  kind: 'symbol' | 'previous' | 'alias';
  hgnc: number;
  ensembl?: string;
}

/** What a store found for all names of a look-up together. More rows than needed do no harm. */
export interface Findings {
  /** Genes of the build; undefined if it has no gene set. */
  here: readonly Gene[] | undefined;
  /** Genes of other builds. */
  elsewhere: readonly Gene[];
  names: readonly NameRow[];
}

/** Resolves every name, in order. */
export function resolveGenes(asked: readonly string[], { here, elsewhere, names }: Findings): GeneAnswer[] {
  const build = here && indexed(here);
  const others = indexed(elsewhere);
  const known = {
    byKey: groups(names, ({ key }) => key),
    byHgnc: groups(names, ({ hgnc }) => hgnc),
    byEnsembl: groups(names, ({ ensembl }) => ensembl),
  };

  /** The genes of the build that these lines of HGNC's list mean. */
  const meant = (genes: GeneIndex, rows: readonly NameRow[]): Gene[] => {
    const found = new Set<Gene>();
    for (const { hgnc, ensembl } of rows) {
      const own = genes.byHgnc.get(hgnc) ?? [];
      const same = (genes.byEnsembl.get(ensembl) ?? []).filter((gene) => gene.hgnc === undefined);
      for (const gene of own.length > 0 ? own : same) found.add(gene);
    }
    return [...found];
  };

  const bySymbol = (item: string, key: string, genes: GeneIndex): GeneAnswer => {
    const rows = known.byKey.get(key) ?? [];
    const direct = genes.byKey.get(key) ?? [];
    const approved = rows.filter(({ kind }) => kind === 'symbol');
    const found = [...new Set([...direct, ...meant(genes, approved)])];
    const numbers = new Set([...found.flatMap(({ hgnc }) => hgnc ?? []), ...approved.map(({ hgnc }) => hgnc)]);
    if (numbers.size > 1) return ambiguous(item, numbers);
    // An HGNC gene is found by its symbol as by its id: without genes that only have the same symbol.
    const [own] = [...numbers].map((hgnc) => found.filter((gene) => gene.hgnc === hgnc));
    if (own !== undefined && own.length > 0) return { asked: item, by: 'symbol', genes: own.sort(byPlace) };
    if (found.length > 0) return { asked: item, by: 'symbol', genes: found.sort(byPlace) };
    if (approved.length > 0) return { asked: item, reason: 'not-in-build' };
    for (const kind of ['previous', 'alias'] as const) {
      const called = rows.filter((row) => row.kind === kind);
      const candidates = new Set(called.map(({ hgnc }) => hgnc));
      if (candidates.size > 1) return ambiguous(item, candidates);
      if (candidates.size === 1) {
        const answer = meant(genes, called).sort(byPlace);
        return answer.length > 0 ? { asked: item, by: kind, genes: answer } : { asked: item, reason: 'not-in-build' };
      }
    }
    return missing(item, others.byKey.has(key));
  };

  const answer = (item: string, name: GeneName, genes: GeneIndex): GeneAnswer => {
    switch (name.kind) {
      case 'hgnc': {
        const rows = known.byHgnc.get(name.id) ?? [];
        const own = genes.byHgnc.get(name.id) ?? [];
        const found = own.length > 0 ? [...own] : meant(genes, rows);
        if (found.length > 0) return { asked: item, by: 'hgnc', genes: found.sort(byPlace) };
        return missing(item, rows.length > 0 || others.byHgnc.has(name.id));
      }
      case 'ensembl': {
        const own = genes.byEnsembl.get(name.id) ?? [];
        const found = own.length > 0 ? [...own] : meant(genes, known.byEnsembl.get(name.id) ?? []).filter(isOfRefseq);
        if (found.length > 0) return { asked: item, by: 'ensembl', genes: found.sort(byPlace) };
        return missing(item, known.byEnsembl.has(name.id) || others.byEnsembl.has(name.id));
      }
      case 'symbol':
        return bySymbol(item, name.key, genes);
    }
  };

  return asked.map((item): GeneAnswer => {
    const name = geneName(item);
    if (!name) return { asked: item, reason: 'malformed' };
    return build ? answer(item, name, build) : { asked: item, reason: 'no-genes-loaded' };
  });
}

/** A set of RefSeq has no Ensembl ids, but HGNC knows them; an Ensembl id never means another gene of Ensembl. */
function isOfRefseq({ ensembl }: Gene): boolean {
  return ensembl.startsWith('GeneID:');
}

interface GeneIndex {
  byHgnc: ReadonlyMap<number | undefined, readonly Gene[]>;
  byEnsembl: ReadonlyMap<string | undefined, readonly Gene[]>;
  byKey: ReadonlyMap<string | undefined, readonly Gene[]>;
}

function indexed(genes: readonly Gene[]): GeneIndex {
  return {
    byHgnc: groups(genes, ({ hgnc }) => hgnc),
    byEnsembl: groups(genes, ({ ensembl }) => ensembl),
    byKey: groups(genes, ({ symbol }) => (symbol === undefined ? undefined : symbolKey(symbol))),
  };
}

function groups<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key | undefined): Map<Key | undefined, Row[]> {
  const found = new Map<Key | undefined, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key === undefined) continue;
    const group = found.get(key);
    if (group) group.push(row);
    else found.set(key, [row]);
  }
  return found;
}

function missing(asked: string, isKnown: boolean): GeneAnswer {
  const reason: NotFoundBy = isKnown ? 'not-in-build' : 'unknown';
  return { asked, reason };
}

function ambiguous(asked: string, numbers: Iterable<number>): GeneAnswer {
  const candidates = [...numbers].sort((left, right) => left - right).map((number) => `HGNC:${number}`);
  return { asked, reason: 'ambiguous', candidates };
}
