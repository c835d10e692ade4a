/** The tables of coverage-sites@1. */
import type { SchemaStep } from '../binding.js';

export const sets = 'coverage_sites_sets';
export const sites = 'coverage_sites_places';
export const genes = 'coverage_sites_genes';

/** Sites belong to a set, and have numbers in it from 0 in the order in which they were loaded. */
const setsAndPlaces: SchemaStep = {
  async up(schema, { columns: column }) {
    await schema.schema.createTable(sets, (table) => {
      table.increments('number');
      column.text(table, 'name').notNullable();
      column.text(table, 'build').notNullable();
      // staged → published → dropped; or staged → dropped.
      column.text(table, 'state').notNullable();
      // Milliseconds since 1970: the last sign of life of the load; for a dropped set, when it was dropped.
      column.big(table, 'touched').notNullable();
      column.time(table, 'loaded');
      table.integer('sites');
      column.json(table, 'record');
    });
    await schema.schema.createTable(sites, (table) => {
      table.integer('set_id').notNullable();
      table.integer('place').notNullable();
      table.specificType('chromosome', 'smallint').notNullable();
      table.integer('start').notNullable();
      table.integer('stop').notNullable();
      // JSON, as text, so that many are read together.
      column.text(table, 'record').notNullable();
      table.primary(['set_id', 'place']);
      table.index(['set_id', 'chromosome', 'start']);
    });
    await schema.schema.createTable(genes, (table) => {
      table.integer('set_id').notNullable();
      column.text(table, 'gene').notNullable();
      table.integer('place').notNullable();
      table.primary(['set_id', 'gene', 'place']);
    });
  },
  async down(schema) {
    await schema.schema.dropTable(genes);
    await schema.schema.dropTable(sites);
    await schema.schema.dropTable(sets);
  },
};

export const migrations = { '001-sets-and-places': setsAndPlaces };
