/**
 * coverage@1 above tables: genes by name with their transcripts and exons, and lists of intervals. Replaced sets stay until they are
 * swept, so that `each` can end.
 */
import { defineStore, Fault, type Table, type Tables } from '../../../core/storage.js';
import {
  type Build,
  byPlace,
  byPlaceAndRank,
  coverage,
  type Exon,
  type GeneLookup,
  geneName,
  type IntervalFilter,
  type IntervalKind,
  type IntervalRepository,
  type Intervals,
  resolveGenes,
  type TranscriptLookup,
} from '../contract.js';
import { replaceIntervals, sweepIntervals } from './staging.js';
import {
  among,
  type ExonsRow,
  exons,
  exonsOf,
  type GeneRow,
  geneOf,
  genes,
  nameOf,
  names,
  publishedSets,
  rowRange,
  sets,
  type TranscriptRow,
  tablesOfKinds,
  transcriptOf,
  transcripts,
} from './stored.js';

/** Rows that `each` reads together; a row of exons has about ten. */
const atOnce = 1000;

const readers: Readonly<Record<IntervalKind, (row: never) => Intervals[IntervalKind] | Intervals[IntervalKind][]>> = {
  genes: (row: GeneRow) => geneOf(row),
  transcripts: (row: TranscriptRow) => transcriptOf(row),
  exons: (row: ExonsRow) => exonsOf(row),
};

const all = [sets, genes, transcripts, exons, names] as const;
const exonIndex = 'coverage_exons_gene';

export const store = defineStore<IntervalRepository>({
  contract: coverage,
  tables: all,
  steps: {
    '001-sets-of-intervals': {
      tables: all,
      sql: {
        up: [`create index ${exonIndex} on coverage_exons (set_id, gene, transcript, chromosome)`],
        down: [],
        lays: exons.indexes ?? [],
      },
    },
  },
  repository: (tables) => ({
    load: (request, now) => replaceIntervals(tables, request, now),
    sets: async ({ signal } = {}) => (await publishedSets(tables, signal)).map(({ set }) => set),
    findGenes: (build, asked, options = {}) =>
      tables.snapshot((moment) => findGenes(moment, build, asked), { signal: options.signal }),
    transcriptsOf: (build, asked, options = {}) =>
      tables.snapshot((moment) => transcriptsOf(moment, build, asked), { signal: options.signal }),
    select: (kind, build, filter, options = {}) =>
      tables.snapshot((moment) => select(moment, kind, build, filter), { signal: options.signal }),
    each: (kind, build, limit, take, options = {}) => eachInterval(tables, kind, build, limit, take, options.signal),
    sweep: (idleSince) => sweepIntervals(tables, idleSince),
  }),
});

/** Rows of a set with one of the wanted values in any of these columns, each row once. */
async function rowsWith<Row extends { id: number }>(
  table: Table<Row, never>,
  setId: number | undefined,
  wanted: { readonly [Column in keyof Row]?: ReadonlySet<string | number> },
): Promise<Row[]> {
  const rows = new Map<number, Row>();
  for (const [column, values] of Object.entries(wanted) as [string, ReadonlySet<unknown>][]) {
    if (values.size === 0 || setId === undefined) continue;
    const where = { setId, [column]: { among: [...values] } } as object;
    for (const row of await table.find({ where })) rows.set(row.id, row);
  }
  return [...rows.values()];
}

async function findGenes(moment: Tables, build: Build, asked: readonly string[]): Promise<GeneLookup> {
  const known = await publishedSets(moment);
  const [here, ofNames] = [among(known, 'genes', build), among(known, 'names')];
  const [hgnc, ensembl, keys] = [new Set<number>(), new Set<string>(), new Set<string>()];
  for (const name of asked.map(geneName)) {
    if (name?.kind === 'hgnc') hgnc.add(name.id);
    else if (name?.kind === 'ensembl') ensembl.add(name.id);
    else if (name !== undefined) keys.add(name.key);
  }
  const rows = (await rowsWith(moment.table(names), ofNames?.id, { hgnc, ensembl, key: keys })).map(nameOf);
  for (const row of rows) {
    hgnc.add(row.hgnc);
    if (row.ensembl !== undefined) ensembl.add(row.ensembl);
  }
  const genesOf = async (id: number) =>
    (await rowsWith(moment.table(genes), id, { hgnc, ensembl, symbolKey: keys })).map(geneOf);
  const elsewhere = [];
  for (const { id, set } of known) {
    if (set.kind === 'genes' && id !== here?.id) elsewhere.push(...(await genesOf(id)));
  }
  return {
    answers: resolveGenes(asked, { here: here && (await genesOf(here.id)), elsewhere, names: rows }),
    ...(here && { genes: here.set }),
    ...(ofNames && { names: ofNames.set }),
  };
}

async function transcriptsOf(moment: Tables, build: Build, asked: readonly string[]): Promise<TranscriptLookup> {
  const known = await publishedSets(moment);
  const [ofTranscripts, ofExons] = [among(known, 'transcripts', build), among(known, 'exons', build)];
  const gene = new Set(asked);
  const rows = await rowsWith(moment.table(transcripts), ofTranscripts?.id, { gene });
  const found = rows.map((row) => ({ ...transcriptOf(row), exons: [] as Exon[] }));
  // A transcript id may occur on both X and Y.
  const byId = new Map(found.map((one) => [`${one.ensembl} ${one.chromosome}`, one]));
  for (const exon of (await rowsWith(moment.table(exons), ofExons?.id, { gene })).flatMap(exonsOf)) {
    byId.get(`${exon.transcript} ${exon.chromosome}`)?.exons.push(exon);
  }
  for (const one of found) one.exons.sort((left, right) => left.rank - right.rank);
  const of = { ...(ofTranscripts && { transcripts: ofTranscripts.set }), ...(ofExons && { exons: ofExons.set }) };
  return { transcripts: found.sort(byPlace), sets: of };
}

async function select<Kind extends IntervalKind>(
  moment: Tables,
  kind: Kind,
  build: Build,
  filter: IntervalFilter,
): Promise<Intervals[Kind][]> {
  if (kind === 'exons' && 'ids' in filter) {
    return (await exonsById(moment, build, filter.ids, (of) => rowsOfSet(moment, kind, of))) as Intervals[Kind][];
  }
  const { id } = among(await publishedSets(moment), kind, build) ?? {};
  const wanted = new Set('ids' in filter ? filter.ids : filter.genes);
  const column = 'ids' in filter || kind === 'genes' ? 'ensembl' : 'gene';
  const table = moment.table(tablesOfKinds[kind as 'genes']);
  const rows = await rowsWith(table, id, { [column]: wanted });
  return (rows as never[]).flatMap(readers[kind]).sort(byPlaceAndRank) as Intervals[Kind][];
}

/** The numbers of rows of a set. */
type RowRange = ReturnType<typeof rowRange>;

/**
 * `select` of exons by their own ids, which have no index, since such queries are rare: `having` gives the rows of a set in which one
 * of the ids may be.
 */
export async function exonsById(
  moment: Tables,
  build: Build,
  wanted: readonly string[],
  having: (set: RowRange, table: typeof exons) => AsyncIterable<readonly object[]>,
): Promise<Exon[]> {
  const set = among(await publishedSets(moment), 'exons', build);
  const ids = new Set(wanted.filter((id) => /^ENSE\d{11}$/.test(id)));
  const found: Exon[] = [];
  if (set === undefined || ids.size === 0) return found;
  for await (const rows of having(rowRange(set.id), exons) as AsyncIterable<readonly ExonsRow[]>) {
    for (const row of rows) {
      // Most rows contain none of the ids; only the others are parsed.
      if (!row.exons.match(/ENSE\d{11}/g)?.some((id) => ids.has(id))) continue;
      found.push(...exonsOf(row).filter(({ ensembl }) => ids.has(ensembl)));
    }
  }
  return found.sort(byPlaceAndRank);
}

/**
 * The rows of a set in their order, in portions, so that a slow reader holds no connection. They never change, and are kept for a
 * while after the set was replaced.
 */
async function* rowsOfSet(from: Tables, kind: IntervalKind, { atLeast, atMost }: RowRange, signal?: AbortSignal) {
  const table = from.table(tablesOfKinds[kind as 'genes']);
  for (let first = atLeast; ; ) {
    const where = { id: { atLeast: first, atMost } };
    const rows = await table.find({ where, order: ['id'], limit: atOnce, signal });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    first = last.id + 1;
  }
}

async function eachInterval<Kind extends IntervalKind>(
  tables: Tables,
  kind: Kind,
  build: Build,
  limit: number | undefined,
  take: (rows: readonly Intervals[Kind][]) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const found = among(await publishedSets(tables, signal), kind, build);
  if (found === undefined) return;
  let left = Math.min(limit ?? found.set.rows, found.set.rows);
  if (left <= 0) return;
  for await (const rows of rowsOfSet(tables, kind, rowRange(found.id), signal)) {
    const intervals = (rows as never[]).flatMap(readers[kind]).slice(0, left) as Intervals[Kind][];
    left -= intervals.length;
    await take(intervals);
    if (left === 0) return;
  }
  throw new Fault('conflict', `The ${kind} of ${build} were replaced meanwhile; repeat the request`);
}
