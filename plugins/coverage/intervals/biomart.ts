/**
 * Tab-separated exports of Ensembl BioMart, one kind of interval each, as BioMart or schug writes them: with the headers of
 * GRCh37 or GRCh38, and the columns in any order. Lines `[success]` and repeated headers occur between rows; cells at the
 * end of a row may be missing; a transcript has one row for each combination of its cross-references.
 */
import { ensemblId } from '../../../core/genome.js';
import type { Build, Exon, Gene, IntervalKind, References, Span, Transcript } from '../contract.js';
import { hgncNumber, placeOf, positive, Refusal, strandOf } from './cells.js';
import type { IntervalReader, Rows, Skip } from './reader.js';

/** BioMart's names of the columns. */
export const columnNames = {
  chromosome: 'Chromosome/scaffold name',
  gene: 'Gene stable ID',
  transcript: 'Transcript stable ID',
  exon: 'Exon stable ID',
  geneStart: 'Gene start (bp)',
  geneEnd: 'Gene end (bp)',
  transcriptStart: 'Transcript start (bp)',
  transcriptEnd: 'Transcript end (bp)',
  exonStart: 'Exon region start (bp)',
  exonEnd: 'Exon region end (bp)',
  symbol: 'HGNC symbol',
  hgnc: 'HGNC ID',
  geneType: 'Gene type',
  transcriptType: 'Transcript type',
  strand: 'Strand',
  rank: 'Exon rank in transcript',
  utr5Start: "5' UTR start",
  utr5End: "5' UTR end",
  utr3Start: "3' UTR start",
  utr3End: "3' UTR end",
  refseqMrna: 'RefSeq mRNA ID',
  refseqMrnaPredicted: 'RefSeq mRNA predicted ID',
  refseqNcrna: 'RefSeq ncRNA ID',
  maneSelect: 'RefSeq match transcript (MANE Select)',
  manePlusClinical: 'RefSeq match transcript (MANE Plus Clinical)',
} as const;

export type Column = keyof typeof columnNames;

/** The columns that a header of each kind must have; the others may be missing. */
const required: Readonly<Record<IntervalKind, readonly Column[]>> = {
  genes: ['chromosome', 'geneStart', 'geneEnd', 'gene', 'symbol', 'hgnc'],
  transcripts: ['chromosome', 'gene', 'transcript', 'transcriptStart', 'transcriptEnd', 'refseqMrna'],
  exons: ['chromosome', 'gene', 'transcript', 'exon', 'exonStart', 'exonEnd', 'strand', 'rank'],
};

type Cells = (column: Column) => string;

export class BiomartReader implements IntervalReader {
  readonly kinds: readonly IntervalKind[];
  readonly kind: IntervalKind;
  readonly #build: Build;
  readonly #places = new Map<Column, number>();
  #header: string | undefined;
  #stamped = false;
  #stampIsLast = false;
  #transcript: Transcript | undefined;
  #genes = new Set<string>();

  constructor(kind: IntervalKind, build: Build) {
    this.kind = kind;
    this.#build = build;
    this.kinds = [kind];
  }

  line(text: string, rows: Rows): Skip | 'read' | undefined {
    const line = text.trimEnd();
    if (line === '') return undefined;
    this.#stampIsLast = line === '[success]';
    if (this.#stampIsLast) {
      this.#stamped = true;
      return undefined;
    }
    if (this.#header === undefined) {
      this.#readHeader(line);
      return undefined;
    }
    if (line === this.#header) return undefined;
    const values = text.split('\t');
    const cells: Cells = (column) => values[this.#places.get(column) ?? -1]?.trim() ?? '';
    if (this.kind === 'genes') return this.#gene(cells, rows.genes);
    if (this.kind === 'transcripts') return this.#transcriptRow(cells, rows.transcripts);
    return exonRow(cells, this.#build, rows.exons);
  }

  finish(rows: Rows): void {
    if (this.#header === undefined) throw new Refusal('the file is empty');
    if (this.#transcript) rows.transcripts.push(this.#transcript);
    this.#transcript = undefined;
  }

  warnings(): string[] {
    if (!this.#stamped || this.#stampIsLast) return [];
    return ['The file has a line [success], but does not end with it: it may be cut short.'];
  }

  #readHeader(line: string): void {
    const columns = line.split('\t').map((column) => column.trim());
    for (const [column, name] of Object.entries(columnNames)) {
      const place = columns.indexOf(name);
      if (place >= 0) this.#places.set(column as Column, place);
    }
    const missing = required[this.kind].filter((column) => !this.#places.has(column));
    if (missing.length > 0) {
      const list = missing.map((column) => `"${columnNames[column]}"`).join(', ');
      throw new Refusal(`not a header of ${this.kind} of Ensembl BioMart: ${list} missing`);
    }
    this.#header = line;
  }

  #gene(cells: Cells, genes: Gene[]): Skip | 'read' {
    const place = placeOf(cells('chromosome'), cells('geneStart'), cells('geneEnd'), this.#build);
    if (typeof place === 'string') return place;
    const ensembl = ensemblId(cells('gene'), 'ENSG');
    if (!ensembl) return 'without Ensembl id';
    const hgnc = hgncNumber(cells('hgnc'));
    const symbol = cells('symbol');
    const biotype = cells('geneType');
    // Genes are few enough to remember all, unlike transcripts and exons: some tens of thousands.
    const key = `${ensembl} ${hgnc} ${symbol} ${place.chromosome}:${place.start}-${place.end}`;
    if (this.#genes.has(key)) return 'read';
    this.#genes.add(key);
    const strand = strandOf(cells('strand'));
    genes.push({
      ensembl,
      ...(hgnc !== undefined && { hgnc }),
      ...(symbol !== '' && { symbol }),
      ...(biotype !== '' && { biotype }),
      ...(strand && { strand }),
      ...place,
    });
    return 'read';
  }

  /** Adjacent rows of one transcript are merged here, others by the store. */
  #transcriptRow(cells: Cells, transcripts: Transcript[]): Skip | 'read' {
    const place = placeOf(cells('chromosome'), cells('transcriptStart'), cells('transcriptEnd'), this.#build);
    if (typeof place === 'string') return place;
    const ensembl = ensemblId(cells('transcript'), 'ENST');
    const gene = ensemblId(cells('gene'), 'ENSG');
    if (!ensembl || !gene) return 'without Ensembl id';
    const references: References = {
      refseqMrna: one(cells('refseqMrna')),
      refseqMrnaPredicted: one(cells('refseqMrnaPredicted')),
      refseqNcrna: one(cells('refseqNcrna')),
      maneSelect: one(cells('maneSelect')),
      manePlusClinical: one(cells('manePlusClinical')),
    };
    const last = this.#transcript;
    const sameAsLast =
      last?.ensembl === ensembl &&
      last.gene === gene &&
      last.chromosome === place.chromosome &&
      last.start === place.start &&
      last.end === place.end;
    if (last && sameAsLast) {
      for (const kind of Object.keys(references) as (keyof References)[]) {
        for (const name of references[kind])
          if (!last.references[kind].includes(name)) last.references[kind].push(name);
      }
      last.isManeSelect ||= references.maneSelect.length > 0;
      last.isManePlusClinical ||= references.manePlusClinical.length > 0;
      return 'read';
    }
    if (last) transcripts.push(last);
    const strand = strandOf(cells('strand'));
    const biotype = cells('transcriptType');
    this.#transcript = {
      ensembl,
      gene,
      ...place,
      references,
      isManeSelect: references.maneSelect.length > 0,
      isManePlusClinical: references.manePlusClinical.length > 0,
      ...(biotype !== '' && { biotype }),
      ...(strand && { strand }),
    };
    return 'read';
  }
}

function one(name: string): string[] {
  return name === '' ? [] : [name];
}

function exonRow(cells: Cells, build: Build, exons: Exon[]): Skip | 'read' {
  const place = placeOf(cells('chromosome'), cells('exonStart'), cells('exonEnd'), build);
  if (typeof place === 'string') return place;
  const ensembl = ensemblId(cells('exon'), 'ENSE');
  const gene = ensemblId(cells('gene'), 'ENSG');
  const transcript = ensemblId(cells('transcript'), 'ENST');
  if (!ensembl || !gene || !transcript) return 'without Ensembl id';
  if (cells('rank') === '') return 'without rank';
  const strand = strandOf(cells('strand'));
  const utr5 = part(cells('utr5Start'), cells('utr5End'), place);
  const utr3 = part(cells('utr3Start'), cells('utr3End'), place);
  exons.push({
    ensembl,
    gene,
    transcript,
    rank: positive(cells('rank'), 'the rank'),
    ...place,
    ...(strand && { strand }),
    ...(utr5 && { utr5 }),
    ...(utr3 && { utr3 }),
  });
  return 'read';
}

/** An untranslated part of an exon. Throws a Refusal if it is not within the exon. */
function part(first: string, last: string, exon: Span): Span | undefined {
  if (first === '' && last === '') return undefined;
  const span = { start: positive(first, 'the start of a UTR') - 1, end: positive(last, 'the end of a UTR') };
  if (span.start >= span.end || span.start < exon.start || span.end > exon.end) {
    throw new Refusal(`a UTR from ${first} to ${last} is not within its exon`);
  }
  return span;
}
