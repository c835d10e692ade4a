/** The tables of coverage-cohorts@1. */
import type { SchemaStep } from '../binding.js';

export const layouts = 'coverage_cohorts_layouts';
export const columns = 'coverage_cohorts_columns';
export const blocks = 'coverage_cohorts_blocks';
export const regions = 'coverage_cohorts_regions';

const layoutsAndBlocks: SchemaStep = {
  async up(schema, { columns: column }) {
    await schema.schema.createTable(layouts, (table) => {
      table.increments('number');
      column.text(table, 'id').notNullable();
      column.text(table, 'build').notNullable().unique();
      column.json(table, 'thresholds').notNullable();
      column.text(table, 'sets').notNullable();
      column.big(table, 'version').notNullable();
      table.integer('columns').notNullable();
      // The end of the last block of several columns.
      table.integer('arranged').notNullable();
    });
    await schema.schema.createTable(regions, (table) => {
      table.increments('number');
      table.integer('layout').notNullable();
      table.integer('piece').notNullable();
      table.binary('content').notNullable();
      table.unique(['layout', 'piece']);
    });
    await schema.schema.createTable(columns, (table) => {
      table.increments('number');
      table.integer('layout').notNullable();
      table.integer('place').notNullable();
      // Without a sample, blocks may still have values of the column.
      column.text(table, 'sample').unique();
      column.text(table, 'source');
      table.boolean('counts').notNullable();
      column.json(table, 'facts');
      table.unique(['layout', 'place']);
    });
    await schema.schema.createTable(blocks, (table) => {
      table.increments('number');
      table.integer('layout').notNullable();
      table.integer('part').notNullable();
      table.integer('plane').notNullable();
      table.integer('first').notNullable();
      table.integer('stop').notNullable();
      column.big(table, 'checksum').notNullable();
      table.binary('content').notNullable();
      table.unique(['layout', 'part', 'plane', 'first']);
    });
  },
  async down(schema) {
    await schema.schema.dropTable(blocks);
    await schema.schema.dropTable(columns);
    await schema.schema.dropTable(regions);
    await schema.schema.dropTable(layouts);
  },
};

export const migrations = { '001-layouts-and-blocks': layoutsAndBlocks };
