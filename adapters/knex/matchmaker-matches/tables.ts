/** The tables of matchmaker-matches@1, and their history. */
import type { SchemaStep } from '../binding.js';

/** One row for each record. */
export const records = 'matchmaker_matches_records';
/** The ids of the patients that each record found. */
export const foundPatients = 'matchmaker_matches_found';
/** Found patients, each kept once for all records that found it in the same form on the same node. */
export const forms = 'matchmaker_matches_patients';
/** Numbers of forms of which a record was deleted: perhaps no other record has them. */
export const loose = 'matchmaker_matches_loose';

/**
 * The records of queries by clients, as literals, so that the partial index applies. Later records for the same query do not
 * count: they would keep it longer than its own retention time.
 */
export const ofOthers = "direction = 'incoming' and type = 'internal' and search is null";

// The schema history of matchmaker-matches@1.

/** The tables as release 0.2 has them. */
const first: SchemaStep = {
  replaces: ['001-records', '002-exchange'],
  async up(schema, { columns }) {
    await schema.schema.createTable(records, (table) => {
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
      // The key of the search, if it has one.
      columns.text(table, 'search');
      table.unique(['search']);
      table.index(['direction', 'type', 'asker', 'patient_id', 'number'], 'matchmaker_matches_queries');
    });
    // Found patients are kept once for all records that found them.
    await schema.schema.createTable(forms, (table) => {
      table.increments('id');
      columns.text(table, 'digest').notNullable().unique();
      columns.text(table, 'node').notNullable();
      columns.text(table, 'patient_id').notNullable().index();
      // The last day on which it was found, in days since 1970.
      table.integer('seen').notNullable();
      columns.json(table, 'document').notNullable();
    });
    await schema.schema.createTable(loose, (table) => {
      table.integer('form').primary();
    });
    await schema.schema.createTable(foundPatients, (table) => {
      table.integer('record').notNullable();
      columns.text(table, 'patient_id').notNullable().index();
      // Null if the record itself has the patient.
      table.integer('form');
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
    const tables = ['matchmaker_matches_genes', 'matchmaker_matches_tally', foundPatients, loose, forms, records];
    for (const table of tables) await schema.schema.dropTable(table);
  },
};

/** Every saved patient is compared with the latest queries: they are found without reading other records, or documents. */
const latest: SchemaStep = {
  async up(schema) {
    await schema.raw(
      `create index matchmaker_matches_latest on ${records} (asker, patient_id, number) where ${ofOthers}`,
    );
  },
  async down(schema) {
    await schema.raw('drop index matchmaker_matches_latest');
  },
};

export const migrations = { '003-shared-patients': first, '004-latest-queries': latest };
