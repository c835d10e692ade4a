/** The schema history of matchmaker@1. */
import type { SchemaStep } from '../binding.js';

/** The tables as release 0.2 has them. */
const patientsAndClients: SchemaStep = {
  replaces: ['001-patients'],
  async up(schema, { columns }) {
    await schema.schema.createTable('matchmaker_patients', (table) => {
      table.increments('number');
      columns.text(table, 'id').notNullable().unique();
      table.integer('version').notNullable();
      columns.text(table, 'owner').notNullable();
      columns.text(table, 'label').index();
      columns.text(table, 'href').notNullable().index();
      columns.time(table, 'created').notNullable();
      columns.time(table, 'updated').notNullable();
      columns.json(table, 'document').notNullable();
      columns.json(table, 'facts').notNullable();
      table.index(['owner', 'number']);
    });
    // Written by every change, in any order; see settle.ts.
    await schema.schema.createTable('matchmaker_pending', (table) => {
      table.increments('id');
      table.integer('number').notNullable().index();
    });
    await schema.schema.createTable('matchmaker_feed', (table) => {
      table.integer('number').primary();
      columns.big(table, 'revision').notNullable().unique();
      // The part of the totals that is due to the patient; null once it is removed.
      columns.json(table, 'facts');
    });
    await schema.schema.createTable('matchmaker_tally', (table) => {
      columns.text(table, 'key').primary();
      columns.big(table, 'count').notNullable();
    });
    await schema.schema.createTable('matchmaker_totals', (table) => {
      table.integer('id').primary();
      columns.big(table, 'revision').notNullable();
      columns.json(table, 'counts').notNullable();
    });
    await schema('matchmaker_totals').insert({ id: 1, revision: 0, counts: '{}' });
    await schema.schema.createTable('matchmaker_clients', (table) => {
      columns.text(table, 'id').primary();
      columns.text(table, 'url');
      columns.text(table, 'contact');
      columns.time(table, 'created').notNullable();
    });
  },
  async down(schema) {
    for (const table of ['clients', 'totals', 'tally', 'feed', 'pending', 'patients']) {
      await schema.schema.dropTable(`matchmaker_${table}`);
    }
  },
};

export const migrations = { '002-clients': patientsAndClients };
