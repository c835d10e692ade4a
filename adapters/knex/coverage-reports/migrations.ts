/** The tables of coverage-reports@1. */
import type { SchemaStep } from '../binding.js';

export const reports = 'coverage_reports_kept';
export const words = 'coverage_reports_words';
export const pieces = 'coverage_reports_pieces';

const keptReports: SchemaStep = {
  async up(schema, { columns: column }) {
    await schema.schema.createTable(reports, (table) => {
      table.increments('number');
      column.text(table, 'id').notNullable().unique();
      column.time(table, 'made').notNullable();
      column.json(table, 'facts').notNullable();
      table.index(['made', 'id']);
    });
    await schema.schema.createTable(words, (table) => {
      column.text(table, 'word').notNullable();
      table.integer('report').notNullable();
      table.primary(['word', 'report']);
      table.index(['report']);
    });
    await schema.schema.createTable(pieces, (table) => {
      table.integer('report').notNullable();
      column.text(table, 'part').notNullable();
      table.integer('piece').notNullable();
      table.binary('content').notNullable();
      table.primary(['report', 'part', 'piece']);
    });
  },
  async down(schema) {
    for (const table of [pieces, words, reports]) await schema.schema.dropTable(table);
  },
};

export const migrations = { '001-kept-reports': keptReports };
