/** The tables of audit@1. */
import type { SchemaStep } from '../binding.js';

export const chains = 'audit_chains';
export const entries = 'audit_entries';
export const subjects = 'audit_subjects';
export const people = 'audit_people';
export const key = 'audit_key';
export const pending = 'audit_pending';

/** The tables as release 0.2 has them. */
const tables: SchemaStep = {
  replaces: ['001-chains-entries-and-people'],
  async up(schema, { columns }) {
    await schema.schema.createTable(key, (table) => {
      // One row: whose number is always 1.
      table.integer('number').primary();
      columns.text(table, 'fingerprint').notNullable();
    });
    await schema.schema.createTable(chains, (table) => {
      table.increments('number');
      columns.text(table, 'id').notNullable().unique();
      columns.time(table, 'started').notNullable();
      columns.text(table, 'previous_chain');
      columns.big(table, 'previous_sequence');
      columns.text(table, 'previous_hash');
      for (const end of ['base', 'head']) {
        columns.big(table, `${end}_sequence`).notNullable();
        columns.text(table, `${end}_hash`).notNullable();
        columns.text(table, `${end}_seal`).notNullable();
      }
    });
    await schema.schema.createTable(entries, (table) => {
      columns.text(table, 'chain').notNullable();
      columns.big(table, 'sequence').notNullable();
      columns.time(table, 'at').notNullable();
      columns.text(table, 'actor').notNullable();
      columns.json(table, 'about').notNullable();
      columns.text(table, 'body').notNullable();
      columns.text(table, 'hash').notNullable();
      table.primary(['chain', 'sequence']);
      table.index(['at', 'chain', 'sequence'], 'audit_entries_at');
      table.index(['actor', 'at', 'chain', 'sequence'], 'audit_entries_actor');
    });
    await schema.schema.createTable(subjects, (table) => {
      columns.text(table, 'subject').notNullable();
      columns.time(table, 'at').notNullable();
      columns.text(table, 'chain').notNullable();
      columns.big(table, 'sequence').notNullable();
      table.primary(['subject', 'at', 'chain', 'sequence']);
      table.index(['chain', 'sequence'], 'audit_subjects_entry');
    });
    await schema.schema.createTable(people, (table) => {
      columns.text(table, 'lookup').primary();
      columns.text(table, 'pseudonym').notNullable().unique();
      columns.text(table, 'sealed').notNullable();
    });
    await schema.schema.createTable(pending, (table) => {
      table.increments('number');
      columns.text(table, 'id').notNullable().unique();
      columns.text(table, 'sealed').notNullable();
    });
  },
  async down(schema) {
    for (const table of [pending, people, subjects, entries, chains, key]) await schema.schema.dropTable(table);
  },
};

/** How many chains there are is known beside them, so that none can be taken away unseen. */
const numbered: SchemaStep = {
  async up(schema, { columns }) {
    await schema.schema.alterTable(chains, (table) => {
      columns.big(table, 'ordinal');
    });
    await schema.raw(`create unique index audit_chains_ordinal on ${chains} (ordinal)`);
    await schema.schema.alterTable(key, (table) => {
      columns.text(table, 'register');
    });
  },
  async down(schema) {
    await schema.raw(`alter table ${key} drop column register`);
    await schema.raw('drop index audit_chains_ordinal');
    await schema.raw(`alter table ${chains} drop column ordinal`);
  },
};

export const migrations = {
  '002-pending-events': tables,
  '003-numbers-of-chains': numbered,
};
