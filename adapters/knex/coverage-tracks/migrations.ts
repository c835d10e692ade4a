/** The tables of coverage-tracks@1. */
import type { SchemaStep } from '../binding.js';

export const tracks = 'coverage_tracks_merged';
export const members = 'coverage_tracks_members';
export const blocks = 'coverage_tracks_blocks';

const tracksAndBlocks: SchemaStep = {
  async up(schema, { columns: column }) {
    await schema.schema.createTable(tracks, (table) => {
      table.increments('number');
      column.text(table, 'id').notNullable().unique();
      column.text(table, 'build').notNullable();
      table.integer('threshold').notNullable();
      column.time(table, 'begun').notNullable();
      // Null until the track counts.
      column.big(table, 'bytes');
    });
    await schema.schema.createTable(members, (table) => {
      table.increments('number');
      table.integer('track').notNullable();
      table.integer('place').notNullable();
      column.text(table, 'sample').notNullable();
      column.text(table, 'revision').notNullable();
      table.unique(['track', 'place']);
      table.index(['sample']);
    });
    await schema.schema.createTable(blocks, (table) => {
      table.increments('number');
      table.integer('track').notNullable();
      // Its place in the list of chromosomes.
      table.integer('chromosome').notNullable();
      table.integer('start').notNullable();
      column.big(table, 'checksum').notNullable();
      table.binary('content').notNullable();
      table.unique(['track', 'chromosome', 'start']);
    });
  },
  async down(schema) {
    await schema.schema.dropTable(blocks);
    await schema.schema.dropTable(members);
    await schema.schema.dropTable(tracks);
  },
};

export const migrations = { '001-tracks-and-blocks': tracksAndBlocks };
