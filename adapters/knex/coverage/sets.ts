/**
 * The sets of intervals in tables: how genes, transcripts, exons and names are stored in rows, which sets are published, and
 * the deletion of those that are no longer used.
 */
import {
  type Build,
  builds,
  type Chromosome,
  cdsOpenEnds,
  chromosomes,
  type Exon,
  type Gene,
  type GeneNames,
  type IntervalSet,
  intervalKinds,
  type NameRow,
  type References,
  type SetKind,
  type Strand,
  symbolKey,
  type Transcript,
} from '../../../plugins/coverage/contract.js';
import type { Database, Scalar } from '../binding.js';
import { intact, readRows, type StoredRows, select } from '../rows.js';
import { deleteRows, StagedSets } from '../staged-sets.js';

export const tables: Readonly<Record<SetKind, string>> = {
  genes: 'coverage_genes',
  transcripts: 'coverage_transcripts',
  exons: 'coverage_exons',
  names: 'coverage_names',
};

/** The first and the last row id of a set; well within the integers that a JavaScript number holds exactly. */
export function rowRange(set: number): [number, number] {
  const room = 2 ** 28;
  return [set * room, (set + 1) * room - 1];
}

function chromosomeCode(chromosome: Chromosome): number {
  return chromosomes.indexOf(chromosome);
}

export function chromosomeOfCode(code: number): Chromosome {
  const chromosome = chromosomes[code];
  if (!chromosome) throw new Error(`There is no chromosome of number ${code}`);
  return chromosome;
}

const place = ['id', 'set_id', 'chromosome', 'start', 'stop', 'strand', 'ensembl'] as const;
const parts = ['utr5', 'utr3', 'cds'] as const;

/** The columns of each table, in the order in which `valuesOf` gives their values. */
export const columns: Readonly<Record<SetKind, readonly string[]>> = {
  genes: [...place, 'hgnc', 'symbol', 'symbol_key', 'biotype'],
  transcripts: [...place, 'gene', 'biotype', 'mane_select', 'mane_plus', 'cross_references'],
  exons: ['id', 'set_id', 'chromosome', 'gene', 'transcript', 'exons'],
  names: ['id', 'set_id', 'key', 'kind', 'hgnc', 'ensembl'],
};

interface PlaceRow {
  id: number | string;
  chromosome: number;
  start: number;
  stop: number;
  strand: Strand | null;
  ensembl: string;
}

export interface GeneRow extends PlaceRow {
  hgnc: number | null;
  symbol: string | null;
  biotype: string | null;
}

export interface TranscriptRow extends PlaceRow {
  gene: string;
  biotype: string | null;
  mane_select: number;
  mane_plus: number;
  cross_references: string;
}

/** All exons of a transcript, as `exonsText` writes them. */
export interface ExonsRow {
  id: number | string;
  chromosome: number;
  gene: string;
  transcript: string;
  exons: string;
}

function placeValues(id: number, set: number, row: Gene | Transcript): Scalar[] {
  return [id, set, chromosomeCode(row.chromosome), row.start, row.end, row.strand ?? null, row.ensembl];
}

export function geneValues(id: number, set: number, gene: Gene): Scalar[] {
  const { hgnc = null, symbol = null, biotype = null } = gene;
  return [...placeValues(id, set, gene), hgnc, symbol, symbol === null ? null : symbolKey(symbol), biotype];
}

export function transcriptValues(id: number, set: number, transcript: Transcript): Scalar[] {
  return [
    ...placeValues(id, set, transcript),
    transcript.gene,
    transcript.biotype ?? null,
    transcript.isManeSelect ? 1 : 0,
    transcript.isManePlusClinical ? 1 : 0,
    referencesText(transcript.references),
  ];
}

/** Exons of one transcript on one chromosome. */
export function exonsValues(id: number, set: number, exons: readonly [Exon, ...Exon[]]): Scalar[] {
  const [{ chromosome, gene, transcript }] = exons;
  return [id, set, chromosomeCode(chromosome), gene, transcript, exonsText(exons)];
}

/** One row per name of the gene. */
export function nameValues({ hgnc, symbol, previous, aliases, ensembl }: GeneNames): Scalar[][] {
  const row = (kind: NameRow['kind']) => (name: string) => [symbolKey(name), kind, hgnc, ensembl ?? null];
  return [row('symbol')(symbol), ...previous.map(row('previous')), ...aliases.map(row('alias'))];
}

function placeOf({ chromosome, start, stop, strand, ensembl }: PlaceRow) {
  return { ensembl, chromosome: chromosomeOfCode(chromosome), start, end: stop, ...(strand !== null && { strand }) };
}

export function geneOfRow(row: GeneRow): Gene {
  const { hgnc, symbol, biotype } = row;
  return {
    ...placeOf(row),
    ...(hgnc !== null && { hgnc }),
    ...(symbol !== null && { symbol }),
    ...(biotype !== null && { biotype }),
  };
}

export function transcriptOfRow(row: TranscriptRow): Transcript {
  return {
    ...placeOf(row),
    gene: row.gene,
    references: referencesOfText(row.cross_references),
    isManeSelect: row.mane_select === 1,
    isManePlusClinical: row.mane_plus === 1,
    ...(row.biotype !== null && { biotype: row.biotype }),
  };
}

type PackedExon = [ensembl: string, rank: number, start: number, end: number, ...rest: (number | null)[]];

/** One list per exon: id, rank, start, end, strand, the ends of its parts and `cdsOpen`; absent values at the end are left out. */
export function exonsText(exons: readonly Exon[]): string {
  return JSON.stringify(
    exons.map((exon): PackedExon => {
      const ends = parts.flatMap((part) => [exon[part]?.start ?? null, exon[part]?.end ?? null]);
      const open = exon.cdsOpen === undefined ? null : cdsOpenEnds.indexOf(exon.cdsOpen);
      const rest = [exon.strand ?? null, ...ends, open];
      while (rest.length > 0 && rest.at(-1) === null) rest.pop();
      return [exon.ensembl, exon.rank, exon.start, exon.end, ...rest];
    }),
  );
}

export function exonsOfRow({ chromosome: code, gene, transcript, exons }: ExonsRow): Exon[] {
  const chromosome = chromosomeOfCode(code);
  return (JSON.parse(exons) as PackedExon[]).map(([ensembl, rank, start, end, strand = null, ...ends]) => {
    const exon: Exon = { ensembl, chromosome, start, end, gene, transcript, rank };
    if (strand !== null) exon.strand = strand as Strand;
    for (const [i, part] of parts.entries()) {
      const [from = null, to = null] = ends.slice(2 * i, 2 * i + 2);
      if (from !== null && to !== null) exon[part] = { start: from, end: to };
    }
    const open = cdsOpenEnds[ends[2 * parts.length] ?? -1];
    if (open !== undefined) exon.cdsOpen = open;
    return exon;
  });
}

const referenceKinds = [
  'refseqMrna',
  'refseqMrnaPredicted',
  'refseqNcrna',
  'maneSelect',
  'manePlusClinical',
] as const satisfies readonly (keyof References)[];

export function referencesText(references: References): string {
  return JSON.stringify(referenceKinds.map((kind) => references[kind]));
}

export function referencesOfText(text: string): References {
  const lists = JSON.parse(text) as string[][];
  return Object.fromEntries(referenceKinds.map((kind, i) => [kind, lists[i] ?? []])) as unknown as References;
}

/** Cross-references of a transcript from two of its rows, in order of appearance. */
export function joinedReferences(left: References, right: References): References {
  return Object.fromEntries(
    referenceKinds.map((kind) => [kind, [...new Set([...left[kind], ...right[kind]])]]),
  ) as unknown as References;
}

// The sets of intervals: those that are published, the selection of rows in them by a list of values, and the deletion of sets
// that are no longer used.

/** A published set with its id in the database. */
interface PublishedSet {
  id: number;
  set: IntervalSet;
}

interface IntervalSetRow {
  id: number;
  state: string;
  kind: SetKind;
  build: Build | null;
  loaded: unknown;
  rows: number;
  chromosomes: unknown;
  release: string | null;
  source: string;
  checksum: string;
  read: number;
  skipped: unknown;
}

/** A damaged set is left out: its intervals count as not loaded. */
export const setRows: StoredRows<IntervalSetRow, PublishedSet> = {
  table: 'coverage_sets',
  key: 'id',
  columns: [
    'id',
    'state',
    'kind',
    'build',
    'loaded',
    'rows',
    'chromosomes',
    'release',
    'source',
    'checksum',
    'read',
    'skipped',
  ],
  read(values, row) {
    const chromosomes = values.parseJson(row.chromosomes) as IntervalSet['chromosomes'];
    const skipped = values.parseJson(row.skipped) as Record<string, number>;
    // Other sets are still being loaded, or about to be swept.
    intact(
      row.state !== 'published' || (Array.isArray(chromosomes) && typeof skipped === 'object' && skipped !== null),
    );
    return {
      id: row.id,
      set: {
        kind: row.kind,
        ...(row.build !== null && { build: row.build }),
        loaded: values.parseTime(row.loaded),
        rows: row.rows,
        chromosomes,
        ...(row.release !== null && { release: row.release }),
        source: row.source,
        checksum: row.checksum,
        read: row.read,
        skipped,
      },
    };
  },
};

const selectSets = `select ${setRows.columns.map((column) => `"${column}"`).join(', ')} from coverage_sets where state = 'published'`;

const order: readonly SetKind[] = [...intervalKinds, 'names'];

/** By build and kind, names last. */
export async function publishedSets(database: Database): Promise<PublishedSet[]> {
  const rows = await database.query<IntervalSetRow>(selectSets, []);
  const place = ({ set: { build, kind } }: PublishedSet) =>
    (build ? builds.indexOf(build) : builds.length) * order.length + order.indexOf(kind);
  return readRows(database, setRows, rows).sort((a, b) => place(a) - place(b));
}

export function among(sets: readonly PublishedSet[], kind: SetKind, build?: Build): PublishedSet | undefined {
  return sets.find(({ set }) => set.kind === kind && set.build === build);
}

// Selects rows by a list of values.

interface RowSelection {
  table: string;
  /** The set that the rows are of. */
  set: number;
  column: string;
  values: readonly (string | number)[];
}

/** All rows of a set with one of the values in the column. */
export function selectRows<Row>(database: Database, { table, set, column, values }: RowSelection): Promise<Row[]> {
  return select(database, (read) =>
    database.engine.whereIn(read(table).where({ set_id: set }).select('*'), column, values),
  );
}

// Sets of intervals: staged while they are loaded, and freed once no query uses them.

export const intervalSets: StagedSets<{ id: number; kind: SetKind }> = new StagedSets({
  ...{ table: 'coverage_sets', number: 'id', sign: 'touched' },
  async free(database, { id, kind }) {
    await deleteRows(database, tables[kind], 'id', 'id between ? and ?', rowRange(id));
    await database.run(({ write }) => write('coverage_sets').where({ id, state: 'dropped' }).delete());
    return true;
  },
});
