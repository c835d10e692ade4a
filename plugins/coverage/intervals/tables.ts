/**
 * Tab-separated tables of genes. Exports of Ensembl BioMart, as BioMart or schug writes them, have one kind of interval each,
 * the headers of GRCh37 or GRCh38, and the columns in any order; lines `[success]` and repeated headers occur between rows,
 * cells at the end of a row may be missing, and a transcript has one row for each combination of its cross-references. HGNC's
 * complete set, or a custom download of it, has the names of genes.
 */
import { ensemblId } from '../../../core/genome.js';
import type { Build, Exon, Gene, GeneNames, IntervalKind, References, Span, Transcript } from '../contract.js';
import {
  hgncNumber,
  type IntervalReader,
  type IntervalRows,
  placeOfRow,
  positive,
  Refusal,
  type SkipReason,
  strandOfCell,
} from './reader.js';

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

export type BiomartColumn = keyof typeof columnNames;

/** The columns that a header of each kind must have; the others may be missing. */
const required: Readonly<Record<IntervalKind, readonly BiomartColumn[]>> = {
  genes: ['chromosome', 'geneStart', 'geneEnd', 'gene', 'symbol', 'hgnc'],
  transcripts: ['chromosome', 'gene', 'transcript', 'transcriptStart', 'transcriptEnd', 'refseqMrna'],
  exons: ['chromosome', 'gene', 'transcript', 'exon', 'exonStart', 'exonEnd', 'strand', 'rank'],
};

type Cells = (column: BiomartColumn) => string;

export class BiomartReader implements IntervalReader {
  readonly kinds: readonly IntervalKind[];
  readonly kind: IntervalKind;
  readonly #build: Build;
  readonly #places = new Map<BiomartColumn, number>();
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

  line(text: string, rows: IntervalRows): SkipReason | 'read' | undefined {
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

  finish(rows: IntervalRows): void {
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
      if (place >= 0) this.#places.set(column as BiomartColumn, place);
    }
    const missing = required[this.kind].filter((column) => !this.#places.has(column));
    if (missing.length > 0) {
      const list = missing.map((column) => `"${columnNames[column]}"`).join(', ');
      throw new Refusal(`not a header of ${this.kind} of Ensembl BioMart: ${list} missing`);
    }
    this.#header = line;
  }

  #gene(cells: Cells, genes: Gene[]): SkipReason | 'read' {
    const place = placeOfRow(cells('chromosome'), cells('geneStart'), cells('geneEnd'), this.#build);
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
    const strand = strandOfCell(cells('strand'));
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
  #transcriptRow(cells: Cells, transcripts: Transcript[]): SkipReason | 'read' {
    const place = placeOfRow(cells('chromosome'), cells('transcriptStart'), cells('transcriptEnd'), this.#build);
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
    const strand = strandOfCell(cells('strand'));
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

function exonRow(cells: Cells, build: Build, exons: Exon[]): SkipReason | 'read' {
  const place = placeOfRow(cells('chromosome'), cells('exonStart'), cells('exonEnd'), build);
  if (typeof place === 'string') return place;
  const ensembl = ensemblId(cells('exon'), 'ENSE');
  const gene = ensemblId(cells('gene'), 'ENSG');
  const transcript = ensemblId(cells('transcript'), 'ENST');
  if (!ensembl || !gene || !transcript) return 'without Ensembl id';
  if (cells('rank') === '') return 'without rank';
  const strand = strandOfCell(cells('strand'));
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

// HGNC's complete set (`hgnc_complete_set.txt`), or a custom download of approved symbols with previous symbols and
// aliases: the names of genes, current and former.

const columns = {
  id: ['hgnc_id', 'HGNC ID'],
  symbol: ['symbol', 'Approved symbol'],
  status: ['status', 'Status'],
  previous: ['prev_symbol', 'Previous symbols', 'Previous symbol'],
  aliases: ['alias_symbol', 'Alias symbols', 'Alias symbol'],
  ensembl: ['ensembl_gene_id', 'Ensembl gene ID', 'Ensembl ID(supplied by Ensembl)'],
} as const satisfies Record<string, readonly string[]>;

type HgncColumn = keyof typeof columns;

export class NamesReader implements IntervalReader {
  readonly kinds = ['names'] as const;
  readonly kind = 'names';
  #places: Partial<Record<HgncColumn, number>> | undefined;
  readonly #seen = new Set<number>();

  line(text: string, rows: IntervalRows): SkipReason | 'read' | undefined {
    if (text.trim() === '') return undefined;
    const cells = text.split('\t').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
    if (!this.#places) {
      this.#places = header(cells);
      return undefined;
    }
    const cell = (column: HgncColumn) => cells[this.#places?.[column] ?? -1] ?? '';
    const status = cell('status');
    if (status !== '' && status !== 'Approved') return 'not approved';
    const symbol = cell('symbol');
    const hgnc = hgncNumber(cell('id'));
    if (hgnc === undefined || symbol === '') return 'incomplete';
    if (this.#seen.has(hgnc)) throw new Refusal(`HGNC:${hgnc} is listed twice`);
    this.#seen.add(hgnc);
    const ensembl = ensemblId(cell('ensembl'), 'ENSG');
    const names: GeneNames = { hgnc, symbol, previous: list(cell('previous')), aliases: list(cell('aliases')) };
    rows.names.push(ensembl ? { ...names, ensembl } : names);
    return 'read';
  }

  finish(): void {
    if (!this.#places) throw new Refusal('the file is empty');
  }

  warnings(): string[] {
    return [];
  }
}

function header(cells: readonly string[]): Partial<Record<HgncColumn, number>> {
  const places: Partial<Record<HgncColumn, number>> = {};
  for (const [column, names] of Object.entries(columns) as [HgncColumn, readonly string[]][]) {
    const place = cells.findIndex((cell) => names.includes(cell));
    if (place >= 0) places[column] = place;
  }
  const missing = (['id', 'symbol', 'previous', 'aliases'] as const).filter((column) => places[column] === undefined);
  if (missing.length > 0) {
    const list = missing.map((column) => `"${columns[column][0]}"`).join(', ');
    throw new Refusal(`not the header of HGNC's complete set: ${list} missing`);
  }
  return places;
}

/** Separated by `|` in the complete set, by commas in custom downloads. */
function list(cell: string): string[] {
  const names = cell.split(cell.includes('|') ? '|' : ',').map((name) => name.trim().replace(/^"|"$/g, ''));
  return [...new Set(names.filter((name) => name !== ''))];
}
