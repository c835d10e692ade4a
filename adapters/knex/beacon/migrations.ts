/** The schema history of beacon@1. */
import type { SchemaStep } from '../binding.js';

const datasetsAndAlleles: SchemaStep = {
  async up(schema, { columns }) {
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
    });
    await schema.schema.createTable('beacon_segments', (table) => {
      table.increments('id');
      columns.text(table, 'dataset').notNullable().index();
      // staged → published → dropped; or staged → dropped.
      columns.text(table, 'state').notNullable();
      // The name of the sample, if there is only one.
      columns.text(table, 'sole_sample');
      // Milliseconds since 1970: when its writer was last heard of.
      columns.big(table, 'touched').notNullable();
    });
    await schema.schema.createTable('beacon_samples', (table) => {
      table.integer('segment').notNullable();
      table.integer('ordinal').notNullable();
      columns.text(table, 'name').notNullable();
      table.primary(['segment', 'ordinal']);
    });
    await schema.schema.createTable('beacon_alleles', (table) => {
      columns.big(table, 'id').primary();
      table.specificType('contig', 'smallint').notNullable();
      table.specificType('span', 'smallint').notNullable();
      table.integer('start').notNullable();
      table.integer('stop').notNullable();
      table.specificType('structural', 'smallint').notNullable();
      table.specificType('mate', 'smallint');
      table.integer('calls').notNullable();
      columns.text(table, 'reference').notNullable();
      columns.text(table, 'alternate').notNullable();
      columns.text(table, 'kind').notNullable();
      columns.text(table, 'carriers');
    });
    await schema.raw('create index beacon_alleles_place on beacon_alleles (contig, start)');
    await schema.raw('create index beacon_alleles_long on beacon_alleles (contig, span, start) where span > 0');
    await schema.raw('create index beacon_alleles_mate on beacon_alleles (mate, stop) where mate is not null');
    await schema.raw('create index beacon_alleles_structural on beacon_alleles (id) where structural = 1');
  },
  async down(schema) {
    for (const table of ['beacon_alleles', 'beacon_samples', 'beacon_segments', 'beacon_datasets']) {
      await schema.schema.dropTable(table);
    }
  },
};

/** How uncertain start and end are, as text: it is shown, and never searched for. */
const ranges: SchemaStep = {
  async up(schema, { columns }) {
    await schema.schema.alterTable('beacon_alleles', (table) => {
      columns.text(table, 'ranges');
    });
  },
  async down(schema) {
    // As it stands: the schema builder would copy all of SQLite's table.
    await schema.raw('alter table beacon_alleles drop column ranges');
  },
};

/** The columns of `beacon_alleles` as 002 left them. */
const columnsOf002 =
  'id, contig, span, start, stop, structural, mate, calls, reference, alternate, kind, carriers, ranges';

/** The contigs of that time by the code that rows have: GRCh37's 1 is 101, GRCh38's MT 225. */
const contigCodes = Object.fromEntries(
  ['grch37', 'grch38'].flatMap((assembly, i) =>
    [...Array.from({ length: 22 }, (_, n) => n + 1), 'x', 'y', 'mt'].map((contig, n): [string, number] => [
      `${assembly}_${contig}`,
      (i + 1) * 100 + n + 1,
    ]),
  ),
);

/** Alleles apart by assembly and contig, and what statements need that are to read one part only. */
const contigs: SchemaStep = {
  async up(schema, { columns, partition }) {
    // Stops processes of an older version, which would omit the extents, from writing segments. It comes first, as in
    // their transactions: the same order of locks rules out a deadlock.
    await schema.raw('alter table beacon_segments rename column touched to heard');
    await schema.raw('drop index beacon_alleles_mate');
    await schema.schema.createTable('beacon_breakends', (table) => {
      columns.big(table, 'id').primary();
      table.specificType('contig', 'smallint').notNullable();
      table.specificType('span', 'smallint').notNullable();
      table.integer('start').notNullable();
      table.integer('stop').notNullable();
      table.specificType('structural', 'smallint').notNullable();
      table.specificType('mate', 'smallint').notNullable();
      table.integer('calls').notNullable();
      columns.text(table, 'reference').notNullable();
      columns.text(table, 'alternate').notNullable();
      columns.text(table, 'kind').notNullable();
      columns.text(table, 'carriers');
      columns.text(table, 'ranges');
    });
    await schema.raw(
      `insert into beacon_breakends (${columnsOf002}) select ${columnsOf002} from beacon_alleles where mate is not null`,
    );
    await schema.raw('create index beacon_breakends_mate on beacon_breakends (mate, stop)');
    await schema.schema.createTable('beacon_extents', (table) => {
      table.integer('segment').notNullable();
      table.specificType('contig', 'smallint').notNullable();
      columns.big(table, 'first').notNullable();
      columns.big(table, 'last').notNullable();
      // Whether there is a structural allele in it.
      table.specificType('structural', 'smallint').notNullable();
      table.primary(['segment', 'contig']);
    });
    await schema.raw(
      'insert into beacon_extents (segment, contig, first, last, structural) ' +
        'select id / 4294967296, contig, min(id), max(id), max(structural) from beacon_alleles group by 1, 2',
    );
    await partition(schema, 'beacon_alleles', { column: 'contig', parts: contigCodes, key: ['id', 'contig'] });
  },
  async down(schema, { unpartition }) {
    await schema.raw('alter table beacon_segments rename column heard to touched');
    await unpartition(schema, 'beacon_alleles', ['id']);
    await schema.raw('create index beacon_alleles_mate on beacon_alleles (mate, stop) where mate is not null');
    await schema.schema.dropTable('beacon_extents');
    await schema.schema.dropTable('beacon_breakends');
  },
};

/** Marks what is stored as files wrote it; `rewrite.ts` rewrites it later, since that takes long in large stores. */
const asWritten: SchemaStep = {
  async up(schema) {
    // So that a process of an older version, which stores alleles as files write them, cannot go on writing segments: nor
    // publish those that it has staged.
    await schema.raw('alter table beacon_segments rename column heard to heartbeat');
    await schema('beacon_segments').where({ state: 'staged' }).update({ state: 'dropped' });
    // 1 if the segment may hold rows as files wrote them; else null.
    await schema.schema.alterTable('beacon_segments', (columns) => columns.specificType('as_written', 'smallint'));
    await schema('beacon_segments').where({ state: 'published' }).update({ as_written: 1 });
    // Where a structural allele of plain bases starts without those that reference and alternate share; else null.
    for (const table of ['beacon_alleles', 'beacon_breakends']) {
      await schema.schema.alterTable(table, (columns) => columns.integer('trimmed'));
    }
    await schema.raw(
      'create index beacon_alleles_trimmed on beacon_alleles (contig, trimmed) where trimmed is not null',
    );
  },
  /** Alleles stay as they are: as files wrote them is not known of those that were rewritten. */
  async down(schema) {
    await schema.raw('alter table beacon_segments rename column heartbeat to heard');
    await schema.raw('alter table beacon_segments drop column as_written');
    await schema.raw('drop index beacon_alleles_trimmed');
    for (const table of ['beacon_alleles', 'beacon_breakends']) {
      // As it stands: the schema builder would copy all of SQLite's table.
      await schema.raw(`alter table ${table} drop column trimmed`);
    }
  },
};

/** What is known of samples, what a dataset counts, and where its structural alleles are. */
const observations: SchemaStep = {
  async up(schema, { columns }) {
    // So that a process of an older version, which would omit what is known of samples, neither writes segments nor publishes
    // those that it has staged.
    await schema.raw('alter table beacon_segments rename column heartbeat to last_heartbeat');
    await schema('beacon_segments').where({ state: 'staged' }).update({ state: 'dropped' });
    await schema.schema.alterTable('beacon_segments', (table) => {
      table.specificType('generation', 'smallint').notNullable().defaultTo(0);
      // How many imports the segment was merged from.
      table.specificType('loads', 'smallint').notNullable().defaultTo(1);
    });
    await schema.schema.alterTable('beacon_datasets', (table) => {
      columns.json(table, 'counting');
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
      table.unique(['dataset', 'name'], { indexName: 'beacon_sample_facts_name' });
    });
    // Structural alleles count as searched for in samples of a load with at least one of them.
    await schema.raw(
      'insert into beacon_sample_facts (dataset, name, case_id, sex, searched_small, searched_structural) ' +
        "select g.dataset, s.name, s.name, 'unknown', 1, max(coalesce(e.structural, 0)) from beacon_segments g " +
        'join beacon_samples s on s.segment = g.id ' +
        'left join (select segment, max(structural) as structural from beacon_extents group by segment) e ' +
        "on e.segment = g.id where g.state = 'published' group by g.dataset, s.name",
    );
    await schema.raw(
      'create index beacon_alleles_structural_place on beacon_alleles (contig, start) where structural = 1',
    );
  },
  async down(schema) {
    await schema.raw('alter table beacon_segments rename column last_heartbeat to heartbeat');
    await schema.raw('drop index beacon_alleles_structural_place');
    await schema.schema.dropTable('beacon_sample_facts');
    // As it stands: the schema builder would copy SQLite's tables.
    await schema.raw('alter table beacon_datasets drop column counting');
    await schema.raw('alter table beacon_segments drop column generation');
    await schema.raw('alter table beacon_segments drop column loads');
  },
};

/** What a row counts of its carriers, and by which grouping of a segment's samples into cases. */
const counts: SchemaStep = {
  async up(schema, { columns }) {
    await schema.schema.alterTable('beacon_segments', (table) => {
      columns.text(table, 'case_groups');
    });
    for (const column of countColumns006) {
      await schema.raw(`alter table beacon_alleles add column ${column} integer`);
    }
  },
  async down(schema) {
    await schema.raw('alter table beacon_segments drop column case_groups');
    for (const column of countColumns006) await schema.raw(`alter table beacon_alleles drop column ${column}`);
  },
};

const countColumns006 = ['carrier_count', 'twice_count', 'case_count'];

/** Which registered sample knows the depth of a sample; null for that of the same id. */
const coverageIds: SchemaStep = {
  async up(schema, { columns }) {
    await schema.schema.alterTable('beacon_sample_facts', (table) => {
      columns.text(table, 'coverage_id');
    });
  },
  async down(schema) {
    // As it stands: the schema builder would copy SQLite's table.
    await schema.raw('alter table beacon_sample_facts drop column coverage_id');
  },
};

/** Phenotypes and diseases of samples, and what makes pseudonyms of them. */
const individuals: SchemaStep = {
  async up(schema, { columns }) {
    await schema.schema.alterTable('beacon_sample_facts', (table) => {
      columns.json(table, 'phenotypes');
      columns.json(table, 'diseases');
    });
    // Null until somebody asks for it.
    await schema.schema.alterTable('beacon_datasets', (table) => {
      columns.text(table, 'salt');
    });
  },
  async down(schema, { values }) {
    // An older version does not know these labels, and would take a sample that has one for damaged.
    const labelled = await schema('beacon_sample_facts').whereNotNull('labels').select('id', 'labels');
    for (const { id, labels } of labelled) {
      const { run_date, analysis_date, ...kept } = values.parseJson(labels) as Record<string, unknown>;
      if (run_date === undefined && analysis_date === undefined) continue;
      await schema('beacon_sample_facts')
        .where({ id })
        .update({ labels: Object.keys(kept).length === 0 ? null : values.json(kept) });
    }
    // As it stands: the schema builder would copy SQLite's tables.
    await schema.raw('alter table beacon_sample_facts drop column phenotypes');
    await schema.raw('alter table beacon_sample_facts drop column diseases');
    await schema.raw('alter table beacon_datasets drop column salt');
  },
};

/** Rows of loads apart from merged ones, where they are searched for by place. */
const freshRows: SchemaStep = {
  up: (schema, engine) => engine.splitIndex(schema, placeIndex009),
  down: (schema, engine) => engine.joinIndex(schema, placeIndex009),
};

const placeIndex009 = {
  name: 'beacon_alleles_place',
  table: 'beacon_alleles',
  columns: 'contig, start',
  condition: '((id & 2147483648) <> 0)',
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

export const migrations = {
  '001-datasets-and-alleles': datasetsAndAlleles,
  '002-ranges': ranges,
  '003-contigs': contigs,
  '004-alleles-as-written': asWritten,
  '005-observations': observations,
  '006-counts': counts,
  '007-coverage-ids': coverageIds,
  '008-individuals': individuals,
  '009-fresh-rows': freshRows,
  '010-shared-batches': sharedBatches,
  '011-uncalled': uncalled,
};
