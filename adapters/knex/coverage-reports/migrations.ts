/** The tables of coverage-reports@1. */
import { placeOf } from '../../../core/storage.js';
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

/** A word for each coverage file of a report, so that a statement can tell whose they are. */
const files: SchemaStep = {
  async up(schema, { values, append }) {
    for (const { number, facts } of await schema(reports).select('number', 'facts')) {
      const { samples = [] } = values.parseJson(facts) as { samples?: readonly { file?: string }[] };
      const named = samples.flatMap(({ file }) => (file === undefined ? [] : [wordOf002(file)]));
      const rows = [...new Set(named)].map((word) => [word, Number(number)]);
      if (rows.length > 0) await append(schema, words, ['word', 'report'], rows);
    }
  },
  async down(schema) {
    await schema(words).where('word', '>=', 'file:').where('word', '<', 'file;').delete();
  },
};

/** As long as words are. */
function wordOf002(file: string): string {
  return `file:${[...placeOf(file)].slice(0, 250).join('')}`;
}

export const migrations = { '001-kept-reports': keptReports, '002-files': files };
