/** The schema history of matchmaker-mail@1. */
import type { SchemaStep } from '../binding.js';

export const outbox = 'matchmaker_mail_outbox';
export const told = 'matchmaker_mail_told';

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

export const migrations = { '001-mail': mail };
