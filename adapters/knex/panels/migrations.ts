/** The tables of panels@1. */
import type { SchemaStep } from '../binding.js';

export const versions = 'panels_versions';
export const genes = 'panels_genes';
export const names = 'panels_names';
export const pieces = 'panels_pieces';

const versionsAndNames: SchemaStep = {
  async up(schema, { columns: column }) {
    await schema.schema.createTable(versions, (table) => {
      table.increments('number');
      column.text(table, 'panel').notNullable();
      column.text(table, 'version').notNullable();
      column.text(table, 'name').notNullable();
      column.text(table, 'state').notNullable();
      table.integer('revision').notNullable();
      column.text(table, 'digest').notNullable();
      table.integer('genes').notNullable();
      table.integer('unmapped').notNullable();
      column.json(table, 'history').notNullable();
      column.text(table, 'content').notNullable();
      table.unique(['panel', 'version']);
    });
    await schema.schema.createTable(genes, (table) => {
      table.integer('hgnc').notNullable();
      table.integer('version').notNullable();
      table.primary(['hgnc', 'version']);
      table.index(['version']);
    });
    await schema.schema.createTable(names, (table) => {
      // A single row at most.
      table.integer('id').primary();
      column.json(table, 'facts').notNullable();
      column.time(table, 'loaded').notNullable();
    });
    await schema.schema.createTable(pieces, (table) => {
      table.integer('piece').primary();
      table.binary('content').notNullable();
    });
  },
  async down(schema) {
    for (const table of [pieces, names, genes, versions]) await schema.schema.dropTable(table);
  },
};

export const migrations = { '001-versions-and-names': versionsAndNames };
