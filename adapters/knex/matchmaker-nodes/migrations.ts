/** The schema history of matchmaker-nodes@1. */
import type { SchemaStep } from '../binding.js';

export const peers = 'matchmaker_nodes_peers';
export const questions = 'matchmaker_nodes_questions';

/** The tables as release 0.2 has them. */
const nodes: SchemaStep = {
  replaces: ['001-nodes'],
  async up(schema, { columns }) {
    await schema.schema.createTable(peers, (table) => {
      columns.text(table, 'id').primary();
      columns.text(table, 'label').notNullable();
      columns.text(table, 'url').notNullable();
      columns.text(table, 'content_type').notNullable();
      columns.text(table, 'contact');
      columns.json(table, 'token').notNullable();
      table.boolean('enabled').notNullable();
      columns.time(table, 'created').notNullable();
      columns.time(table, 'last_success');
      columns.time(table, 'last_failure');
      columns.text(table, 'failure');
      table.integer('failures').notNullable();
      columns.json(table, 'quirks');
      columns.time(table, 'retry_at');
    });
    // One row per node and patient: the last version that it answered, and the version whose answer it owes.
    await schema.schema.createTable(questions, (table) => {
      columns.text(table, 'node').notNullable();
      table.integer('number').notNullable().index();
      table.integer('answered').notNullable();
      table.integer('owed');
      table.integer('tries').notNullable();
      // Null: at once.
      columns.time(table, 'due');
      table.primary(['node', 'number']);
    });
    await schema.raw(`create index matchmaker_nodes_owed on ${questions} (node, number) where owed is not null`);
  },
  async down(schema) {
    for (const table of [questions, peers]) await schema.schema.dropTable(table);
  },
};

export const migrations = { '002-quirks': nodes };
