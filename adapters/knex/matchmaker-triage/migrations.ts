/** The tables of matchmaker-triage@1. */
import type { SchemaStep } from '../binding.js';

export const submissions = 'matchmaker_triage_submissions';
export const rows = 'matchmaker_triage_rows';
export const names = 'matchmaker_triage_names';
export const visits = 'matchmaker_triage_visits';

const triage: SchemaStep = {
  async up(schema, { columns }) {
    // One row for each submission that was ever seen: searches lock it. Of one that was forgotten only the number stays.
    await schema.schema.createTable(submissions, (table) => {
      table.integer('number').primary();
      table.boolean('gone').notNullable();
      columns.json(table, 'history').notNullable();
    });
    await schema.schema.createTable(rows, (table) => {
      columns.text(table, 'id').primary();
      table.integer('submission').notNullable().index();
      columns.text(table, 'owner').notNullable();
      columns.text(table, 'node').notNullable();
      columns.text(table, 'patient').notNullable();
      columns.time(table, 'first_seen').notNullable();
      columns.time(table, 'last_seen').notNullable();
      columns.json(table, 'seen').notNullable();
      columns.text(table, 'text').notNullable();
      table.integer('revision').notNullable();
      columns.text(table, 'status').notNullable();
      columns.text(table, 'assignee');
      columns.json(table, 'work').notNullable();
      table.index(['owner', 'submission', 'last_seen'], 'matchmaker_triage_of_owner');
    });
    // By which a counterpart is found: "p:" with an id that it has or had, "c:" with the digest of its content.
    await schema.schema.createTable(names, (table) => {
      columns.text(table, 'name').notNullable();
      columns.text(table, 'node').notNullable();
      table.integer('submission').notNullable();
      columns.text(table, 'row').notNullable().index();
      table.primary(['name', 'node', 'submission', 'row']);
    });
    await schema.schema.createTable(visits, (table) => {
      columns.text(table, 'person').notNullable();
      table.integer('submission').notNullable().index();
      columns.time(table, 'since');
      columns.time(table, 'at').notNullable();
      table.primary(['person', 'submission']);
    });
  },
  async down(schema) {
    for (const table of [visits, names, rows, submissions]) await schema.schema.dropTable(table);
  },
};

export const migrations = { '001-triage': triage };
