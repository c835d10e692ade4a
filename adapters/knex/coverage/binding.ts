/** coverage@1 on SQL, with its schema history. */
import { coverage, type IntervalRepository, type ReadOptions } from '../../../plugins/coverage/contract.js';
import { type Database, defineBinding, type SchemaStep } from '../binding.js';
import { eachInterval, findGenes, select, transcriptsOf } from './find.js';
import { loadIntervals } from './load.js';
import { intervalSets, publishedSets, setRows } from './sets.js';

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
