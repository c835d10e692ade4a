/** The schema history of matchmaker-matches@1. */
import type { SchemaStep } from '../binding.js';

const records: SchemaStep = {
  async up(schema, { columns }) {
    await schema.schema.createTable('matchmaker_matches_records', (table) => {
      table.increments('number');
      columns.text(table, 'id').notNullable().unique();
      columns.time(table, 'created').notNullable().index();
      columns.text(table, 'type').notNullable();
      columns.text(table, 'direction').notNullable();
      columns.text(table, 'asker').notNullable();
      // The query: its id, and its number if it is stored here.
      columns.text(table, 'patient_id').notNullable().index();
      table.integer('patient_number');
      // 1 if a patient was found.
      table.specificType('found', 'smallint').notNullable();
      columns.json(table, 'document').notNullable();
    });
    await schema.schema.createTable('matchmaker_matches_found', (table) => {
      table.integer('record').notNullable();
      columns.text(table, 'patient_id').notNullable().index();
      table.primary(['record', 'patient_id']);
    });
    // One row per search, merged into one from time to time: with a counter, searches would wait for each other.
    await schema.schema.createTable('matchmaker_matches_tally', (table) => {
      table.increments('id');
      columns.big(table, 'requests').notNullable();
      columns.big(table, 'sent').notNullable();
    });
    await schema.schema.createTable('matchmaker_matches_genes', (table) => {
      columns.text(table, 'gene').primary();
    });
  },
  async down(schema) {
    for (const table of ['genes', 'tally', 'found', 'records']) {
      await schema.schema.dropTable(`matchmaker_matches_${table}`);
    }
  },
};

const exchange: SchemaStep = {
  async up(schema, { columns }) {
    await schema.schema.alterTable('matchmaker_matches_records', (table) => {
      // The key of the search, if it has one.
      columns.text(table, 'search');
      table.unique(['search']);
      table.index(['direction', 'type', 'asker', 'patient_id', 'number'], 'matchmaker_matches_queries');
    });
  },
  async down(schema) {
    await schema.schema.alterTable('matchmaker_matches_records', (table) => {
      table.dropIndex([], 'matchmaker_matches_queries');
      table.dropUnique(['search']);
      table.dropColumn('search');
    });
  },
};

export const migrations = { '001-records': records, '002-exchange': exchange };
