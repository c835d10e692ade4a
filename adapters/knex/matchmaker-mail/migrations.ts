/** The schema history of matchmaker-mail@1. */
import type { SchemaStep } from '../binding.js';

export const outbox = 'matchmaker_mail_outbox';
export const told = 'matchmaker_mail_told';
export const pairs = 'matchmaker_mail_pairs';

/** The tables as release 0.2 has them. */
const first: SchemaStep = {
  replaces: ['001-mail'],
  async up(schema, { columns }) {
    await schema.schema.createTable(outbox, (table) => {
      table.increments('number');
      columns.text(table, 'id').notNullable().unique();
      columns.time(table, 'due').notNullable().index();
      columns.text(table, 'patient').notNullable().index();
      table.integer('failures').notNullable();
      columns.text(table, 'failure');
      columns.json(table, 'document').notNullable();
      columns.text(table, 'search').index();
    });
    await schema.schema.createTable(told, (table) => {
      columns.text(table, 'patient').notNullable();
      columns.text(table, 'node').notNullable();
      columns.text(table, 'other').notNullable().index();
      table.primary(['patient', 'node', 'other']);
    });
    await schema.schema.createTable(pairs, (table) => {
      columns.text(table, 'pair').primary();
      // The ids under which the pair was reported; null once a patient is forgotten.
      columns.text(table, 'patient').index();
      columns.text(table, 'node');
      columns.text(table, 'other').index();
    });
  },
  async down(schema) {
    for (const table of [pairs, told, outbox]) await schema.schema.dropTable(table);
  },
};

export const migrations = { '002-search': first };
