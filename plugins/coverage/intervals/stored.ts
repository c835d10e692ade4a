/**
 * The tables of coverage@1, as release 0.2 laid them: how genes, transcripts, exons and names are stored in rows, and which sets of
 * them are published.
 */
import {
  defineTable,
  generated,
  integer,
  json,
  type NewRowOf,
  optional,
  type RowOf,
  short,
  small,
  type Tables,
  text,
  time,
} from '../../../core/storage.js';
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
} from '../contract.js';

/** A damaged set is left out: its intervals count as not loaded. */
export const sets = defineTable({
  name: 'coverage_sets',
  columns: {
    id: generated(),
    kind: text(),
    build: optional(text()),
    // staged → published → dropped; or staged → dropped.
    state: text(),
    // Milliseconds since 1970: the last sign of life of the load; for a dropped set, when it was dropped.
    touched: integer(),
    loaded: optional(time()),
    rows: optional(small()),
    chromosomes: optional(json<IntervalSet['chromosomes']>()),
    release: optional(text()),
    source: optional(text()),
    checksum: optional(text()),
    read: optional(small()),
    skipped: optional(json<IntervalSet['skipped']>()),
  },
  key: ['id'],
  sound: ({ state, loaded, rows, chromosomes, source, checksum, read, skipped }) =>
    state !== 'published' ||
    ([loaded, rows, source, checksum, read].every((each) => each !== undefined) &&
      Array.isArray(chromosomes) &&
      typeof skipped === 'object' &&
      skipped !== null),
});

/**
 * Rows belong to a set and have ids from the set's own range, so that a set is read and deleted in the order in which it was loaded.
 * `chromosome` is a place in the list of chromosomes.
 */
const place = {
  id: integer(),
  setId: small(),
  chromosome: short(),
  start: small(),
  stop: small(),
  strand: optional(short()),
  ensembl: text(),
};

export const genes = defineTable({
  name: 'coverage_genes',
  columns: {
    ...place,
    hgnc: optional(small()),
    symbol: optional(text()),
    symbolKey: optional(text()),
    biotype: optional(text()),
  },
  key: ['id'],
  indexes: [
    ['setId', 'hgnc'],
    ['setId', 'symbolKey'],
    ['setId', 'ensembl'],
  ],
});

/** `gene` is the Ensembl id of the gene; `crossReferences` a list for each of `referenceKinds`, as JSON. */
export const transcripts = defineTable({
  name: 'coverage_transcripts',
  columns: {
    ...place,
    gene: text(),
    biotype: optional(text()),
    maneSelect: short(),
    manePlus: short(),
    crossReferences: text(),
  },
  key: ['id'],
  indexes: [
    ['setId', 'gene'],
    ['setId', 'ensembl', 'chromosome'],
  ],
});

/** A row holds all exons of a transcript, as `exonsText` writes them: they are read and written together. */
export const exons = defineTable({
  name: 'coverage_exons',
  columns: { id: integer(), setId: small(), chromosome: short(), gene: text(), transcript: text(), exons: text() },
  key: ['id'],
  indexes: [['setId', 'gene', 'transcript', 'chromosome']],
});

/** A row for each name of a gene. */
export const names = defineTable({
  name: 'coverage_names',
  columns: { id: integer(), setId: small(), key: text(), kind: text(), hgnc: small(), ensembl: optional(text()) },
  key: ['id'],
  indexes: [
    ['setId', 'key'],
    ['setId', 'hgnc'],
    ['setId', 'ensembl'],
  ],
});

export const tablesOfKinds = { genes, transcripts, exons, names } as const;

export type GeneRow = RowOf<typeof genes.columns>;
export type TranscriptRow = RowOf<typeof transcripts.columns>;
export type ExonsRow = RowOf<typeof exons.columns>;

/** The first and the last row id of a set; well within the integers that a JavaScript number holds exactly. */
export function rowRange(set: number): { atLeast: number; atMost: number } {
  const room = 2 ** 28;
  return { atLeast: set * room, atMost: (set + 1) * room - 1 };
}

/** A published set with its number. */
export interface PublishedIntervals {
  id: number;
  set: IntervalSet;
}

const kinds: readonly SetKind[] = [...intervalKinds, 'names'];

/** By build and kind, names last. */
export async function publishedSets(from: Tables, signal?: AbortSignal): Promise<PublishedIntervals[]> {
  const found = await from.table(sets).find({ where: { state: 'published' }, signal });
  const all = found.map(({ id, state: _, touched: __, ...set }) => ({ id, set: set as IntervalSet }));
  const order = ({ set: { build, kind } }: PublishedIntervals) =>
    (build ? builds.indexOf(build) : builds.length) * kinds.length + kinds.indexOf(kind);
  return all.sort((one, other) => order(one) - order(other));
}

export function among(
  known: readonly PublishedIntervals[],
  kind: SetKind,
  build?: Build,
): PublishedIntervals | undefined {
  return known.find(({ set }) => set.kind === kind && set.build === build);
}

// What is stored as rows, and read from them.

/** Throws if the row is damaged. */
export function chromosomeOf(code: number): Chromosome {
  const chromosome = chromosomes[code];
  if (!chromosome) throw new Error(`There is no chromosome of number ${code}`);
  return chromosome;
}

function placeOf({ ensembl, chromosome, start, stop, strand }: GeneRow | TranscriptRow) {
  const fields = { ensembl, chromosome: chromosomeOf(chromosome), start, end: stop };
  return strand === undefined ? fields : { ...fields, strand: strand as Strand };
}

export function geneRow(id: number, setId: number, gene: Gene): NewRowOf<typeof genes.columns> {
  const { start, end: stop, strand, ensembl, hgnc, symbol, biotype } = gene;
  const chromosome = chromosomes.indexOf(gene.chromosome);
  const key = symbol === undefined ? undefined : symbolKey(symbol);
  return { id, setId, chromosome, start, stop, strand, ensembl, hgnc, symbol, symbolKey: key, biotype };
}

export function geneOf(row: GeneRow): Gene {
  const { hgnc, symbol, biotype } = row;
  return {
    ...placeOf(row),
    ...(hgnc !== undefined && { hgnc }),
    ...(symbol !== undefined && { symbol }),
    ...(biotype !== undefined && { biotype }),
  };
}

export function transcriptRow(id: number, setId: number, one: Transcript): NewRowOf<typeof transcripts.columns> {
  const { start, end: stop, strand, ensembl, gene, biotype } = one;
  const chromosome = chromosomes.indexOf(one.chromosome);
  const [maneSelect, manePlus] = [one.isManeSelect ? 1 : 0, one.isManePlusClinical ? 1 : 0];
  const crossReferences = referencesText(one.references);
  // One literal: of millions of rows, copies of parts would take most of the time.
  return { id, setId, chromosome, start, stop, strand, ensembl, gene, biotype, maneSelect, manePlus, crossReferences };
}

export function transcriptOf(row: TranscriptRow): Transcript {
  const { gene, biotype, maneSelect, manePlus, crossReferences } = row;
  const lists = JSON.parse(crossReferences) as string[][];
  const references = Object.fromEntries(referenceKinds.map((kind, i) => [kind, lists[i] ?? []]));
  return {
    ...placeOf(row),
    ...{ gene, references: references as unknown as References },
    ...{ isManeSelect: maneSelect === 1, isManePlusClinical: manePlus === 1 },
    ...(biotype !== undefined && { biotype }),
  };
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

const parts = ['utr5', 'utr3', 'cds'] as const;

type PackedExon = [ensembl: string, rank: number, start: number, end: number, ...rest: (number | null)[]];

/** One list per exon: id, rank, start, end, strand, the ends of its parts and `cdsOpen`; absent values at the end are left out. */
export function exonsText(list: readonly Exon[]): string {
  return JSON.stringify(
    list.map((exon): PackedExon => {
      const ends = parts.flatMap((part) => [exon[part]?.start ?? null, exon[part]?.end ?? null]);
      const open = exon.cdsOpen === undefined ? null : cdsOpenEnds.indexOf(exon.cdsOpen);
      const rest = [exon.strand ?? null, ...ends, open];
      while (rest.at(-1) === null) rest.pop();
      return [exon.ensembl, exon.rank, exon.start, exon.end, ...rest];
    }),
  );
}

/** Of one transcript on one chromosome. */
export function exonsRow(id: number, setId: number, list: readonly [Exon, ...Exon[]]): ExonsRow {
  const [{ chromosome, gene, transcript }] = list;
  return { id, setId, chromosome: chromosomes.indexOf(chromosome), gene, transcript, exons: exonsText(list) };
}

export function exonsOf({ chromosome: code, gene, transcript, exons: packed }: ExonsRow): Exon[] {
  const chromosome = chromosomeOf(code);
  return (JSON.parse(packed) as PackedExon[]).map(([ensembl, rank, start, end, strand = null, ...ends]) => {
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

/** A row for each name, numbered from `id`. */
export function namesRows(id: number, setId: number, { hgnc, symbol, previous, aliases, ensembl }: GeneNames) {
  const all = [symbol, ...previous, ...aliases];
  const kindOf = (i: number) => (i === 0 ? 'symbol' : i <= previous.length ? 'previous' : 'alias');
  return all.map((name, i) => ({ id: id + i, setId, key: symbolKey(name), kind: kindOf(i), hgnc, ensembl }));
}

export function nameOf({ id: _, setId: __, ...row }: RowOf<typeof names.columns>): NameRow {
  return row as NameRow;
}
