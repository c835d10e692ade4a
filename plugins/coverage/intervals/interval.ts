/** Genes, transcripts and exons, and their positions. All positions are zero-based half-open, in bases. */

export const builds = ['GRCh37', 'GRCh38'] as const;
export type Build = (typeof builds)[number];

/** In the order of lists. The names in files (`chr1`, `chrM`, `M`) become these. */
export const chromosomes = [
  ...Array.from({ length: 22 }, (_, i) => String(i + 1)),
  'X',
  'Y',
  'MT',
] as readonly string[] as readonly Chromosome[];

type Autosome =
  | '1'
  | '2'
  | '3'
  | '4'
  | '5'
  | '6'
  | '7'
  | '8'
  | '9'
  | '10'
  | '11'
  | '12'
  | '13'
  | '14'
  | '15'
  | '16'
  | '17'
  | '18'
  | '19'
  | '20'
  | '21'
  | '22';
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
