/**
 * coverage@1 on SQL, with its schema history, and how published intervals are read: genes by name with their transcripts and
 * exons, and lists of intervals.
 */
import { Fault } from '../../../core/storage.js';
import {
  type Build,
  byPlace,
  byPlaceAndRank,
  coverage,
  type Exon,
  type Gene,
  type GeneLookup,
  geneName,
  type IntervalFilter,
  type IntervalKind,
  type IntervalRepository,
  type Intervals,
  type NameRow,
  type ReadOptions,
  resolveGenes,
  type TranscriptLookup,
  type TranscriptWithExons,
} from '../../../plugins/coverage/contract.js';
import { type Database, defineBinding, type SchemaStep } from '../binding.js';
import { loadIntervals } from './load.js';
import {
  among,
  chromosomeOfCode,
  type ExonsRow,
  exonsOfRow,
  type GeneRow,
  geneOfRow,
  intervalSets,
  publishedSets,
  rowRange,
  selectRows,
  setRows,
  type TranscriptRow,
  tables,
  transcriptOfRow,
} from './sets.js';

interface GeneNameLists {
  hgnc: Set<number>;
  ensembl: Set<string>;
  keys: Set<string>;
}

function findGenes(database: Database, build: Build, asked: readonly string[]): Promise<GeneLookup> {
  return database.snapshot(async (snapshot) => {
    const published = await publishedSets(snapshot);
    const here = among(published, 'genes', build);
    const names = among(published, 'names');
    const wanted = wantedBy(asked);
    const rows = names ? await namesOf(snapshot, names.id, wanted) : [];
    for (const { hgnc, ensembl } of rows) {
      wanted.hgnc.add(hgnc);
      if (ensembl !== undefined) wanted.ensembl.add(ensembl);
    }
    const elsewhere: Gene[] = [];
    for (const { id, set } of published) {
      if (set.kind === 'genes' && id !== here?.id) elsewhere.push(...(await genesOf(snapshot, id, wanted)));
    }
    const found = here && (await genesOf(snapshot, here.id, wanted));
    return {
      answers: resolveGenes(asked, { here: found, elsewhere, names: rows }),
      ...(here && { genes: here.set }),
      ...(names && { names: names.set }),
    };
  });
}

function wantedBy(asked: readonly string[]): GeneNameLists {
  const wanted: GeneNameLists = { hgnc: new Set(), ensembl: new Set(), keys: new Set() };
  for (const item of asked) {
    const name = geneName(item);
    if (name?.kind === 'hgnc') wanted.hgnc.add(name.id);
    else if (name?.kind === 'ensembl') wanted.ensembl.add(name.id);
    else if (name) wanted.keys.add(name.key);
  }
  return wanted;
}

/** Rows of a set with one of the wanted values in any of three columns, each row once. */
async function geneRowsIn<Row extends { id: number | string }>(
  database: Database,
  table: string,
  set: number,
  values: Readonly<Record<string, ReadonlySet<string | number>>>,
): Promise<Row[]> {
  const rows = new Map<number | string, Row>();
  for (const [column, wanted] of Object.entries(values)) {
    if (wanted.size === 0) continue;
    const found = await selectRows<Row>(database, { table, set, column, values: [...wanted] });
    for (const row of found) rows.set(row.id, row);
  }
  return [...rows.values()];
}

async function genesOf(database: Database, set: number, { hgnc, ensembl, keys }: GeneNameLists): Promise<Gene[]> {
  const rows = await geneRowsIn<GeneRow>(database, tables.genes, set, { hgnc, ensembl, symbol_key: keys });
  return rows.map(geneOfRow);
}

async function namesOf(database: Database, set: number, { hgnc, ensembl, keys }: GeneNameLists): Promise<NameRow[]> {
  type Row = { id: number; key: string; kind: NameRow['kind']; hgnc: number; ensembl: string | null };
  const rows = await geneRowsIn<Row>(database, tables.names, set, { hgnc, ensembl, key: keys });
  return rows.map(({ key, kind, hgnc, ensembl }) => ({ key, kind, hgnc, ...(ensembl !== null && { ensembl }) }));
}

function transcriptsOf(database: Database, build: Build, genes: readonly string[]): Promise<TranscriptLookup> {
  return database.snapshot(async (snapshot) => {
    const published = await publishedSets(snapshot);
    const transcripts = among(published, 'transcripts', build);
    const exons = among(published, 'exons', build);
    const gene = new Set(genes);
    const ofGenes = <Row extends { id: number | string }>(table: string, set: number | undefined) =>
      set === undefined ? [] : geneRowsIn<Row>(snapshot, table, set, { gene });
    const found = (await ofGenes<TranscriptRow>(tables.transcripts, transcripts?.id)).map(
      (row): TranscriptWithExons => ({ ...transcriptOfRow(row), exons: [] }),
    );
    const byId = new Map(found.map((transcript) => [keyOfTranscript(transcript.ensembl, transcript), transcript]));
    for (const row of await ofGenes<ExonsRow>(tables.exons, exons?.id)) {
      const chromosome = chromosomeOfCode(row.chromosome);
      byId.get(keyOfTranscript(row.transcript, { chromosome }))?.exons.push(...exonsOfRow(row));
    }
    for (const transcript of found) transcript.exons.sort((left, right) => left.rank - right.rank);
    const sets = { ...(transcripts && { transcripts: transcripts.set }), ...(exons && { exons: exons.set }) };
    return { transcripts: found.sort(byPlace), sets };
  });
}

/** A transcript id may occur on both X and Y. */
function keyOfTranscript(transcript: string, { chromosome }: Pick<Exon, 'chromosome'>): string {
  return `${transcript} ${chromosome}`;
}

// Lists of intervals.

/** Rows read by one statement; a row of exons has about ten exons. */
const batchSize = 1000;

function select<Kind extends IntervalKind>(
  database: Database,
  kind: Kind,
  build: Build,
  filter: IntervalFilter,
): Promise<Intervals[Kind][]> {
  return database.snapshot(async (snapshot) => {
    const set = among(await publishedSets(snapshot), kind, build);
    if (!set) return [];
    if (kind === 'exons' && 'ids' in filter) {
      return (await exonsById(snapshot, set.id, filter.ids)).sort(byPlaceAndRank) as Intervals[Kind][];
    }
    const column = 'ids' in filter || kind === 'genes' ? 'ensembl' : 'gene';
    const values = [...new Set('ids' in filter ? filter.ids : filter.genes)];
    const rows = await selectRows<IntervalRows[Kind]>(snapshot, { table: tables[kind], set: set.id, column, values });
    return rows.flatMap(readers[kind]).sort(byPlaceAndRank);
  });
}

/** The most ids that the engine searches for: with more, testing a row costs more than reading it. */
const fewIds = 4;

/** Exons have no index on their own id, since such queries are rare: all rows of the set are scanned once. */
async function exonsById(database: Database, set: number, wanted: readonly string[]): Promise<Exon[]> {
  const ids = new Set(wanted.filter((id) => /^ENSE\d{11}$/.test(id)));
  const found: Exon[] = [];
  for await (const rows of ids.size > fewIds
    ? portions<ExonsRow>(database, 'exons', set)
    : having(database, set, ids)) {
    for (const row of rows) {
      // Most rows contain none of the ids; only the others are parsed.
      if (!row.exons.match(/ENSE\d{11}/g)?.some((id) => ids.has(id))) continue;
      found.push(...exonsOfRow(row).filter(({ ensembl }) => ids.has(ensembl)));
    }
  }
  return found;
}

/** The rows of a set of exons that contain one of the ids, selected by the engine. */
async function* having(database: Database, set: number, ids: ReadonlySet<string>): AsyncGenerator<ExonsRow[]> {
  if (ids.size === 0) return;
  const [first, last] = rowRange(set);
  const holds = [...ids].map(() => 'exons like ?').join(' or ');
  const patterns = [...ids].map((id) => `%${id}%`);
  yield database.query<ExonsRow>(`select * from ${tables.exons} where id between ? and ? and (${holds})`, [
    first,
    last,
    ...patterns,
  ]);
}

interface IntervalRows {
  genes: GeneRow;
  transcripts: TranscriptRow;
  exons: ExonsRow;
}

const readers: { [Kind in IntervalKind]: (row: IntervalRows[Kind]) => Intervals[Kind] | Intervals[Kind][] } = {
  genes: geneOfRow,
  transcripts: transcriptOfRow,
  exons: exonsOfRow,
};

/** The rows of a set in their order. */
async function* portions<Each extends { id: number | string }>(
  database: Database,
  kind: IntervalKind,
  set: number,
): AsyncGenerator<Each[]> {
  const [first, last] = rowRange(set);
  for (let from = first; ; ) {
    const rows = await database.query<Each>(
      `select * from ${tables[kind]} where id between ? and ? order by id limit ?`,
      [from, last, batchSize],
    );
    const final = rows.at(-1);
    if (!final) return;
    yield rows;
    from = database.engine.values.parseBig(final.id) + 1;
  }
}

/**
 * Reads in portions, each with a statement of its own, so that a slow reader holds no connection. The rows of a set never
 * change, and are kept for a while after the set was replaced.
 */
async function eachInterval<Kind extends IntervalKind>(
  database: Database,
  kind: Kind,
  build: Build,
  limit: number | undefined,
  take: (rows: readonly Intervals[Kind][]) => Promise<void>,
): Promise<void> {
  const found = among(await publishedSets(database), kind, build);
  if (!found) return;
  let left = Math.min(limit ?? found.set.rows, found.set.rows);
  if (left <= 0) return;
  for await (const rows of portions<IntervalRows[Kind]>(database, kind, found.id)) {
    const intervals = rows.flatMap(readers[kind]).slice(0, left);
    left -= intervals.length;
    await take(intervals);
    if (left === 0) return;
  }
  throw new Fault('conflict', `The ${kind} of ${build} were replaced meanwhile; repeat the request`);
}

// coverage@1 on SQL, with its schema history.

// The schema history of coverage@1.

/**
 * Rows belong to a set and have ids from the set's own range, so that a set is read and deleted in the order in which it
 * was loaded. Only the last index of transcripts and exons serves to find repeats within a set.
 */
const setsOfIntervals: SchemaStep = {
  async up(schema, { columns }) {
    await schema.schema.createTable('coverage_sets', (table) => {
      table.increments('id');
      columns.text(table, 'kind').notNullable();
      columns.text(table, 'build');
      // staged → published → dropped; or staged → dropped.
      columns.text(table, 'state').notNullable();
      // Milliseconds since 1970: the writer's last heartbeat; for a dropped set, when it was dropped.
      columns.big(table, 'touched').notNullable();
      columns.time(table, 'loaded');
      table.integer('rows');
      columns.json(table, 'chromosomes');
      columns.text(table, 'release');
      columns.text(table, 'source');
      columns.text(table, 'checksum');
      table.integer('read');
      columns.json(table, 'skipped');
    });
    await schema.schema.createTable('coverage_genes', (table) => {
      columns.big(table, 'id').primary();
      table.integer('set_id').notNullable();
      table.specificType('chromosome', 'smallint').notNullable();
      table.integer('start').notNullable();
      table.integer('stop').notNullable();
      table.specificType('strand', 'smallint');
      columns.text(table, 'ensembl').notNullable();
      table.integer('hgnc');
      columns.text(table, 'symbol');
      columns.text(table, 'symbol_key');
      columns.text(table, 'biotype');
      table.index(['set_id', 'hgnc']);
      table.index(['set_id', 'symbol_key']);
      table.index(['set_id', 'ensembl']);
    });
    await schema.schema.createTable('coverage_transcripts', (table) => {
      columns.big(table, 'id').primary();
      table.integer('set_id').notNullable();
      table.specificType('chromosome', 'smallint').notNullable();
      table.integer('start').notNullable();
      table.integer('stop').notNullable();
      table.specificType('strand', 'smallint');
      columns.text(table, 'ensembl').notNullable();
      columns.text(table, 'gene').notNullable();
      columns.text(table, 'biotype');
      table.specificType('mane_select', 'smallint').notNullable();
      table.specificType('mane_plus', 'smallint').notNullable();
      columns.text(table, 'cross_references').notNullable();
      table.index(['set_id', 'gene']);
      table.index(['set_id', 'ensembl', 'chromosome']);
    });
    // A row holds all exons of a transcript, as text: they are read and written together.
    await schema.schema.createTable('coverage_exons', (table) => {
      columns.big(table, 'id').primary();
      table.integer('set_id').notNullable();
      table.specificType('chromosome', 'smallint').notNullable();
      columns.text(table, 'gene').notNullable();
      columns.text(table, 'transcript').notNullable();
      columns.text(table, 'exons').notNullable();
      table.index(['set_id', 'gene', 'transcript', 'chromosome'], 'coverage_exons_gene');
    });
    await schema.schema.createTable('coverage_names', (table) => {
      columns.big(table, 'id').primary();
      table.integer('set_id').notNullable();
      columns.text(table, 'key').notNullable();
      columns.text(table, 'kind').notNullable();
      table.integer('hgnc').notNullable();
      columns.text(table, 'ensembl');
      table.index(['set_id', 'key']);
      table.index(['set_id', 'hgnc']);
      table.index(['set_id', 'ensembl']);
    });
  },
  async down(schema) {
    for (const table of ['names', 'exons', 'transcripts', 'genes', 'sets']) {
      await schema.schema.dropTable(`coverage_${table}`);
    }
  },
};

const migrations = { '001-sets-of-intervals': setsOfIntervals };

function repository(database: Database): IntervalRepository {
  /** The database as one caller reads it, until it gives up. */
  const until = (options: ReadOptions | undefined) => database.until(options?.signal);
  return {
    load: (request, now) => loadIntervals(database, request, now),
    sets: async (options) => (await publishedSets(until(options))).map(({ set }) => set),
    findGenes: (build, asked, options) => findGenes(until(options), build, asked),
    transcriptsOf: (build, genes, options) => transcriptsOf(until(options), build, genes),
    select: (kind, build, filter, options) => select(until(options), kind, build, filter),
    each: (kind, build, limit, take, options) => eachInterval(until(options), kind, build, limit, take),
    sweep: (idleSince) => intervalSets.sweep(database, idleSince),
  };
}

export default defineBinding<IntervalRepository>({ contract: coverage, migrations, rows: [setRows], repository });
