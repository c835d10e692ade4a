/** The tables of beacon-protection@1. */
import type { SchemaStep } from '../binding.js';

export const publications = 'beacon_protection_publications';
export const people = 'beacon_protection_people';
export const spent = 'beacon_protection_spent';
export const events = 'beacon_protection_events';
export const accounts = 'beacon_protection_accounts';
export const consulted = 'beacon_protection_consulted';

/** The tables as release 0.2 has them. */
const first: SchemaStep = {
  replaces: ['001-publications-and-budgets'],
  async up(schema, { columns: column }) {
    await schema.schema.createTable(publications, (table) => {
      column.text(table, 'dataset').primary();
      column.time(table, 'created').notNullable();
      column.big(table, 'generation').notNullable();
      column.time(table, 'published').notNullable();
      column.big(table, 'alleles').notNullable();
      column.big(table, 'calls').notNullable();
      column.big(table, 'samples').notNullable();
      column.big(table, 'people').notNullable();
    });
    await schema.schema.createTable(people, (table) => {
      column.text(table, 'dataset').notNullable();
      column.text(table, 'sample').notNullable();
      // The generation in which it was published first.
      column.big(table, 'since').notNullable();
      table.boolean('leaving').notNullable();
      table.primary(['dataset', 'sample']);
    });
    await schema.schema.createTable(spent, (table) => {
      column.text(table, 'dataset').notNullable();
      column.text(table, 'account').notNullable();
      column.text(table, 'sample').notNullable();
      // In nats.
      table.double('spent').notNullable();
      // Milliseconds since 1970.
      column.big(table, 'spent_at').notNullable();
      table.primary(['dataset', 'account', 'sample']);
    });
    await schema.schema.createTable(events, (table) => {
      column.text(table, 'dataset').notNullable();
      column.text(table, 'account').notNullable();
      column.text(table, 'event').notNullable();
      table.primary(['dataset', 'account', 'event']);
    });
    await schema.schema.createTable(accounts, (table) => {
      column.text(table, 'dataset').notNullable();
      column.text(table, 'account').notNullable();
      column.big(table, 'questions').notNullable();
      column.big(table, 'hits').notNullable();
      table.primary(['dataset', 'account']);
    });
    await schema.schema.createTable(consulted, (table) => {
      column.text(table, 'dataset').notNullable();
      column.text(table, 'account').notNullable();
      column.text(table, 'contig').notNullable();
      // Of its stretches of a million bases, by number from 0.
      table.integer('stretch').notNullable();
      column.text(table, 'sample').notNullable();
      table.primary(['dataset', 'account', 'contig', 'stretch', 'sample']);
    });
  },
  async down(schema) {
    for (const table of [consulted, accounts, events, spent, people, publications]) {
      await schema.schema.dropTable(table);
    }
  },
};

export const migrations = { '002-consulted-people': first };
