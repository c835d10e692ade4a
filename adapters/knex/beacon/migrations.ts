/** The schema history of beacon@1. */
import { asDigest } from '../../../plugins/beacon/store.js';
import type { SchemaStep, StatedTexts } from '../binding.js';

/** The contigs by the code that rows have: GRCh37's 1 is 101, GRCh38's MT 225. */
const contigCodes009 = Object.fromEntries(
  ['grch37', 'grch38'].flatMap((assembly, i) =>
    [...Array.from({ length: 22 }, (_, n) => n + 1), 'x', 'y', 'mt'].map((contig, n): [string, number] => [
      `${assembly}_${contig}`,
      (i + 1) * 100 + n + 1,
    ]),
  ),
);

/** The tables as release 0.2 has them. */
const first: SchemaStep = {
  replaces: [
    '001-datasets-and-alleles',
    '002-ranges',
    '003-contigs',
    '004-alleles-as-written',
    '005-observations',
    '006-counts',
    '007-coverage-ids',
    '008-individuals',
  ],
  async up(schema, engine) {
    const { columns } = engine;
    await schema.schema.createTable('beacon_datasets', (table) => {
      columns.text(table, 'id').primary();
      columns.text(table, 'name').notNullable();
      columns.text(table, 'assembly').notNullable();
      columns.text(table, 'access').notNullable();
      table.double('version').notNullable();
      columns.text(table, 'description');
      columns.text(table, 'external_url');
      columns.time(table, 'created').notNullable();
      columns.time(table, 'updated').notNullable();
      columns.big(table, 'allele_count').notNullable();
      columns.big(table, 'call_count').notNullable();
      columns.big(table, 'sample_count').notNullable();
      // Counts the changes of what is published: who computed totals from one state finds out if it has passed.
      columns.big(table, 'revision').notNullable();
      columns.json(table, 'counting');
      // What makes pseudonyms of samples; null until it is first needed.
      columns.text(table, 'salt');
    });
    await schema.schema.createTable('beacon_segments', (table) => {
      table.increments('id');
      columns.text(table, 'dataset').notNullable().index();
      // staged → published → dropped; or staged → dropped.
      columns.text(table, 'state').notNullable();
      // The name of the sample, if there is only one.
      columns.text(table, 'sole_sample');
      // Milliseconds since 1970: when its writer was last heard of.
      columns.big(table, 'last_heartbeat').notNullable();
      // Of 0.2, where 1 marks a segment with rows of 0.1; always null here (see `refusal` of the binding).
      table.specificType('as_written', 'smallint');
      table.specificType('generation', 'smallint').notNullable().defaultTo(0);
      // How many imports the segment was merged from.
      table.specificType('loads', 'smallint').notNullable().defaultTo(1);
      // By which grouping of its samples into cases its rows count these.
      columns.text(table, 'case_groups');
    });
    await schema.schema.createTable('beacon_samples', (table) => {
      table.integer('segment').notNullable();
      table.integer('ordinal').notNullable();
      columns.text(table, 'name').notNullable();
      table.primary(['segment', 'ordinal']);
    });
    // The rows of breakends are in both.
    for (const name of ['beacon_alleles', 'beacon_breakends']) {
      const isWhole = name === 'beacon_alleles';
      await schema.schema.createTable(name, (table) => {
        columns.big(table, 'id').primary();
        table.specificType('contig', 'smallint').notNullable();
        table.specificType('span', 'smallint').notNullable();
        table.integer('start').notNullable();
        table.integer('stop').notNullable();
        table.specificType('structural', 'smallint').notNullable();
        const mate = table.specificType('mate', 'smallint');
        if (!isWhole) mate.notNullable();
        table.integer('calls').notNullable();
        columns.text(table, 'reference').notNullable();
        columns.text(table, 'alternate').notNullable();
        columns.text(table, 'kind').notNullable();
        columns.text(table, 'carriers');
        // How uncertain start and end are, as text: it is shown, and never searched for.
        columns.text(table, 'ranges');
        // Where a structural allele of plain bases starts without those that reference and alternate share; else null.
        table.integer('trimmed');
        for (const column of isWhole ? ['carrier_count', 'twice_count', 'case_count'] : []) table.integer(column);
      });
    }
    await engine.partitioning?.partition(schema, 'beacon_alleles', {
      column: 'contig',
      parts: contigCodes009,
      key: ['id', 'contig'],
    });
    await schema.raw('create index beacon_alleles_place on beacon_alleles (contig, start)');
    // Rows of loads apart from merged ones, where they are searched for by place.
    await engine.splitIndexes?.split(schema, {
      name: 'beacon_alleles_place',
      table: 'beacon_alleles',
      columns: 'contig, start',
      condition: '((id & 2147483648) <> 0)',
    });
    await schema.raw('create index beacon_alleles_long on beacon_alleles (contig, span, start) where span > 0');
    await schema.raw('create index beacon_alleles_structural on beacon_alleles (id) where structural = 1');
    await schema.raw(
      'create index beacon_alleles_trimmed on beacon_alleles (contig, trimmed) where trimmed is not null',
    );
    await schema.raw(
      'create index beacon_alleles_structural_place on beacon_alleles (contig, start) where structural = 1',
    );
    await schema.raw('create index beacon_breakends_mate on beacon_breakends (mate, stop)');
    // What statements need that are to read one part only.
    await schema.schema.createTable('beacon_extents', (table) => {
      table.integer('segment').notNullable();
      table.specificType('contig', 'smallint').notNullable();
      columns.big(table, 'first').notNullable();
      columns.big(table, 'last').notNullable();
      // Whether there is a structural allele in it.
      table.specificType('structural', 'smallint').notNullable();
      table.primary(['segment', 'contig']);
    });
    await schema.schema.createTable('beacon_sample_facts', (table) => {
      // Identifies a row to operators without the sample's name.
      table.increments('id');
      columns.text(table, 'dataset').notNullable();
      columns.text(table, 'name').notNullable();
      columns.text(table, 'case_id').notNullable();
      columns.text(table, 'sex').notNullable();
      table.specificType('affected', 'smallint');
      columns.json(table, 'labels');
      columns.time(table, 'added');
      table.specificType('searched_small', 'smallint').notNullable();
      table.specificType('searched_structural', 'smallint').notNullable();
      // Which registered sample knows its depth; null for that of the same id.
      columns.text(table, 'coverage_id');
      columns.json(table, 'phenotypes');
      columns.json(table, 'diseases');
      table.unique(['dataset', 'name'], { indexName: 'beacon_sample_facts_name' });
    });
  },
  async down(schema) {
    const tables = ['sample_facts', 'extents', 'breakends', 'alleles', 'samples', 'segments', 'datasets'];
    for (const table of tables) await schema.schema.dropTable(`beacon_${table}`);
  },
};

/** Batches of samples that tenants share, and imports that a sample was named by after the first. */
const sharedBatches: SchemaStep = {
  async up(schema, { columns }) {
    await schema.schema.createTable('beacon_batches', (table) => {
      table.increments('id');
      columns.text(table, 'dataset').notNullable();
      columns.text(table, 'series').notNullable();
      table.integer('number').notNullable();
      columns.json(table, 'members').notNullable();
      table.unique(['dataset', 'series', 'number'], { indexName: 'beacon_batches_number' });
    });
    for (const column of laterColumns010) {
      await schema.raw(`alter table beacon_sample_facts add column ${column} integer`);
    }
  },
  async down(schema) {
    for (const column of laterColumns010) await schema.raw(`alter table beacon_sample_facts drop column ${column}`);
    await schema.schema.dropTable('beacon_batches');
  },
};

const laterColumns010 = ['later_small', 'later_structural'];

/** Samples that were not called at alleles, and chromosomes that samples were not searched for. */
const uncalled: SchemaStep = {
  async up(schema, { columns }) {
    // So that a process of an older version, which would lose what is said of such samples, neither writes segments nor
    // publishes those that it has staged.
    await schema.raw('alter table beacon_segments rename column last_heartbeat to last_sign');
    await schema('beacon_segments').where({ state: 'staged' }).update({ state: 'dropped' });
    await schema.schema.alterTable('beacon_segments', (table) => table.specificType('uncalled', 'smallint'));
    await schema.schema.alterTable('beacon_sample_facts', (table) => {
      columns.json(table, 'unsearched');
    });
    // The columns of beacon_alleles without what rows count of their carriers.
    await schema.schema.createTable('beacon_uncalled', (table) => {
      columns.big(table, 'id').primary();
      table.specificType('contig', 'smallint').notNullable();
      table.specificType('span', 'smallint').notNullable();
      table.integer('start').notNullable();
      table.integer('stop').notNullable();
      columns.text(table, 'reference').notNullable();
      columns.text(table, 'alternate').notNullable();
      columns.text(table, 'kind').notNullable();
      table.specificType('structural', 'smallint').notNullable();
      table.specificType('mate', 'smallint');
      table.integer('calls').notNullable();
      columns.text(table, 'carriers').notNullable();
      columns.text(table, 'ranges');
      table.integer('trimmed');
    });
    await schema.raw('create index beacon_uncalled_place on beacon_uncalled (contig, start)');
    await schema.raw(
      'create index beacon_uncalled_trimmed on beacon_uncalled (contig, trimmed) where trimmed is not null',
    );
  },
  async down(schema) {
    await schema.raw('alter table beacon_segments rename column last_sign to last_heartbeat');
    await schema.schema.dropTable('beacon_uncalled');
    // As it stands: the schema builder would copy SQLite's tables.
    await schema.raw('alter table beacon_sample_facts drop column unsearched');
    await schema.raw('alter table beacon_segments drop column uncalled');
  },
};

/** Datasets whose alleles are left-aligned by a reference. */
const forms: SchemaStep = {
  async up(schema, { columns }) {
    await schema.schema.alterTable('beacon_datasets', (table) => {
      columns.text(table, 'aligned_to');
    });
  },
  async down(schema) {
    // Alleles stay where they are: it is one of the spellings that files have.
    await schema.raw('alter table beacon_datasets drop column aligned_to');
  },
};

/** Allele fractions of carriers, in few of the rows of beacon_alleles. */
const fractions: SchemaStep = {
  async up(schema, { columns }) {
    // So that a process of an older version, which would lose fractions, neither writes segments nor publishes those that it has
    // staged.
    await schema.raw('alter table beacon_segments rename column last_sign to last_beat');
    await schema('beacon_segments').where({ state: 'staged' }).update({ state: 'dropped' });
    await schema.schema.createTable('beacon_fractions', (table) => {
      // That of the row in beacon_alleles.
      columns.big(table, 'id').primary();
      columns.text(table, 'percents').notNullable();
    });
  },
  async down(schema) {
    await schema.raw('alter table beacon_segments rename column last_beat to last_sign');
    await schema.schema.dropTable('beacon_fractions');
  },
};

export const migrations = {
  '009-fresh-rows': first,
  '010-shared-batches': sharedBatches,
  '011-uncalled': uncalled,
  '012-forms': forms,
  '013-fractions': fractions,
};

/** Carriers are numbers of samples of a segment. */
export const texts: StatedTexts = {
  person: [
    ...['alleles', 'breakends', 'uncalled'].map((table) => `beacon_${table}.carriers`),
    'beacon_fractions.percents',
    ...['name', 'case_id', 'sex', 'labels', 'coverage_id', 'phenotypes', 'diseases', 'unsearched'].map(
      (column) => `beacon_sample_facts.${column}`,
    ),
    'beacon_segments.sole_sample',
  ],
  staying: { 'beacon_batches.members': asDigest },
  others: [
    ...['name', 'assembly', 'access', 'external_url', 'counting', 'aligned_to'].map(
      (column) => `beacon_datasets.${column}`,
    ),
    ...['dataset', 'state', 'case_groups'].map((column) => `beacon_segments.${column}`),
    ...['beacon_alleles.ranges', 'beacon_sample_facts.dataset'],
    ...['breakends', 'uncalled'].flatMap((table) =>
      ['reference', 'alternate', 'kind', 'ranges'].map((column) => `beacon_${table}.${column}`),
    ),
  ],
};
