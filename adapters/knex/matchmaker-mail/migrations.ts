/** The schema history of matchmaker-mail@1. */
import type { SchemaStep } from '../binding.js';

export const outbox = 'matchmaker_mail_outbox';
export const told = 'matchmaker_mail_told';
export const pairs = 'matchmaker_mail_pairs';

const mail: SchemaStep = {
  async up(schema, { columns }) {
    await schema.schema.createTable(outbox, (table) => {
      table.increments('number');
      columns.text(table, 'id').notNullable().unique();
      columns.time(table, 'due').notNullable().index();
      columns.text(table, 'patient').notNullable().index();
      table.integer('failures').notNullable();
      columns.text(table, 'failure');
      columns.json(table, 'document').notNullable();
    });
    await schema.schema.createTable(told, (table) => {
      columns.text(table, 'patient').notNullable();
      columns.text(table, 'node').notNullable();
      columns.text(table, 'other').notNullable().index();
      table.primary(['patient', 'node', 'other']);
    });
  },
  async down(schema) {
    for (const table of [told, outbox]) await schema.schema.dropTable(table);
  },
};

/** Earlier notices belong to no common search, and their matches are known by ids only. */
const search: SchemaStep = {
  async up(schema, { columns }) {
    await schema.schema.alterTable(outbox, (table) => {
      columns.text(table, 'search').index();
    });
    await schema(outbox).update({ search: schema.ref('id') });
    await schema.schema.createTable(pairs, (table) => {
      columns.text(table, 'pair').primary();
      // The ids under which the pair was reported; null once a patient is forgotten.
      columns.text(table, 'patient').index();
      columns.text(table, 'node');
      columns.text(table, 'other').index();
    });
  },
  async down(schema) {
    await schema.schema.dropTable(pairs);
    await schema.schema.alterTable(outbox, (table) => {
      table.dropIndex(['search']);
      table.dropColumn('search');
    });
  },
};

export const migrations = { '001-mail': mail, '002-search': search };
