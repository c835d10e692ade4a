/** Intervals on the wire: coordinates are 1-based and inclusive. */
import { z } from 'zod';
import {
  type Build,
  builds,
  chromosomes,
  type Exon,
  type Gene,
  type IntervalKind,
  type Intervals,
  type Span,
  type Transcript,
} from '../contract.js';

const name = z.string().nullable();
const span = z.object({ start: z.int(), stop: z.int() }).nullable();

const place = {
  chromosome: z.enum(chromosomes),
  start: z.int().describe('First base, 1-based.'),
  stop: z.int().describe('Last base, 1-based.'),
  build: z.enum(builds),
  strand: z.union([z.literal(1), z.literal(-1)]).nullable(),
};

const gene = z.object({
  ...place,
  ensembl_ids: z.array(z.string()),
  hgnc_id: z.int().nullable(),
  hgnc_symbol: name,
  biotype: name,
});

const transcript = z.object({
  ...place,
  ensembl_id: z.string(),
  ensembl_gene_id: z.string(),
  refseq_mrna: name.describe('The first one; all are in references.'),
  refseq_mrna_pred: name,
  refseq_ncrna: name,
  refseq_mane_select: name,
  refseq_mane_plus_clinical: name,
  biotype: name,
  is_mane_select: z.boolean(),
  is_mane_plus_clinical: z.boolean(),
  references: z.object({
    refseq_mrna: z.array(z.string()),
    refseq_mrna_pred: z.array(z.string()),
    refseq_ncrna: z.array(z.string()),
    refseq_mane_select: z.array(z.string()),
    refseq_mane_plus_clinical: z.array(z.string()),
  }),
});

const exon = z.object({
  ...place,
  ensembl_id: z.string(),
  ensembl_gene_id: z.string(),
  ensembl_transcript_id: z.string(),
  rank_in_transcript: z.int(),
  utr5: span,
  utr3: span,
  cds: span.describe('Only if the source states coding parts.'),
});

export const schemas = { genes: gene, transcripts: transcript, exons: exon } as const;

function ends({ start, end }: Span): { start: number; stop: number } {
  return { start: start + 1, stop: end };
}

function geneShown(row: Gene, build: Build): z.output<typeof gene> {
  const { chromosome, ensembl, hgnc = null, symbol = null, biotype = null, strand = null } = row;
  const named = { ensembl_ids: [ensembl], hgnc_id: hgnc, hgnc_symbol: symbol, biotype, strand };
  return { chromosome, ...ends(row), build, ...named };
}

function transcriptShown(row: Transcript, build: Build): z.output<typeof transcript> {
  const { refseqMrna, refseqMrnaPredicted, refseqNcrna, maneSelect, manePlusClinical } = row.references;
  return {
    chromosome: row.chromosome,
    ...ends(row),
    build,
    ensembl_id: row.ensembl,
    ensembl_gene_id: row.gene,
    refseq_mrna: refseqMrna[0] ?? null,
    refseq_mrna_pred: refseqMrnaPredicted[0] ?? null,
    refseq_ncrna: refseqNcrna[0] ?? null,
    refseq_mane_select: maneSelect[0] ?? null,
    refseq_mane_plus_clinical: manePlusClinical[0] ?? null,
    strand: row.strand ?? null,
    biotype: row.biotype ?? null,
    is_mane_select: row.isManeSelect,
    is_mane_plus_clinical: row.isManePlusClinical,
    references: {
      refseq_mrna: refseqMrna,
      refseq_mrna_pred: refseqMrnaPredicted,
      refseq_ncrna: refseqNcrna,
      refseq_mane_select: maneSelect,
      refseq_mane_plus_clinical: manePlusClinical,
    },
  };
}

function exonShown(row: Exon, build: Build): z.output<typeof exon> {
  const part = (of: Span | undefined) => (of ? ends(of) : null);
  return {
    chromosome: row.chromosome,
    ...ends(row),
    build,
    ensembl_id: row.ensembl,
    ensembl_gene_id: row.gene,
    ensembl_transcript_id: row.transcript,
    rank_in_transcript: row.rank,
    strand: row.strand ?? null,
    utr5: part(row.utr5),
    utr3: part(row.utr3),
    cds: part(row.cds),
  };
}

export const shown: { [Kind in IntervalKind]: (row: Intervals[Kind], build: Build) => object } = {
  genes: geneShown,
  transcripts: transcriptShown,
  exons: exonShown,
};
