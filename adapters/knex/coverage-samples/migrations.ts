/** The tables of coverage-samples@1. */
import { placeOf } from '../../../core/storage.js';
import type { SchemaStep } from '../binding.js';

export const samples = 'coverage_samples_registered';
export const runs = 'coverage_samples_runs';

/** The tables as release 0.2 has them. */
const samplesAndRuns: SchemaStep = {
  replaces: ['001-samples-and-runs'],
  async up(schema, { columns: column }) {
    await schema.schema.createTable(samples, (table) => {
      column.text(table, 'id').primary();
      column.text(table, 'revision').notNullable();
      column.text(table, 'build').notNullable();
      column.text(table, 'path').notNullable();
      column.text(table, 'track');
      column.text(table, 'case_id');
      column.text(table, 'sex').notNullable();
      column.text(table, 'analysed');
      column.json(table, 'labels').notNullable();
      column.text(table, 'state').notNullable();
      column.text(table, 'reason');
      column.time(table, 'registered').notNullable();
      column.time(table, 'updated').notNullable();
      // What the last successful check found, and when.
      column.time(table, 'checked');
      column.json(table, 'found');
      table.index(['state', 'id']);
    });
    await schema.schema.createTable(runs, (table) => {
      table.increments('number');
      column.text(table, 'sample').notNullable();
      // Its place in the list of chromosomes.
      table.integer('chromosome').notNullable();
      table.integer('start').notNullable();
      table.integer('stop').notNullable();
      column.text(table, 'checksum').notNullable();
      table.binary('content').notNullable();
      table.unique(['sample', 'chromosome', 'start']);
    });
  },
  async down(schema) {
    await schema.schema.dropTable(runs);
    await schema.schema.dropTable(samples);
  },
};

/** The places of files in one form, so that a statement can tell whose they are. */
const places: SchemaStep = {
  async up(schema, { columns: column }) {
    await schema.schema.alterTable(samples, (table) => {
      column.text(table, 'place').notNullable().defaultTo('');
    });
    for (const { id, path } of await schema(samples).select('id', 'path')) {
      await schema(samples)
        .where({ id })
        .update({ place: placeOf(path) });
    }
  },
  async down(schema) {
    // As it stands: the schema builder would copy SQLite's table.
    await schema.raw(`alter table ${samples} drop column place`);
  },
};

export const migrations = {
  '002-windows-of-runs': samplesAndRuns,
  '003-places': places,
};
