/**
 * The tables of coverage-cohorts@1, rows of the cohorts' layouts, columns and blocks, and the layout of a build, locked or not.
 */
import {
  type Build,
  blockChecksum,
  builds,
  type CohortBlock,
  type CohortEntry,
  type CohortLayout,
  type CohortMember,
  type CohortState,
} from '../../../plugins/coverage/contract.js';
import type { Database, Engine, SchemaStep } from '../binding.js';
import { intact, type StoredRows } from '../rows.js';

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

// Rows of the cohorts' layouts, columns and blocks.

export interface CohortLayoutRow {
  number: number;
  id: string;
  build: CohortLayout['build'];
  thresholds: unknown;
  sets: string;
  version: unknown;
  columns: number;
  arranged: number;
}

export interface ColumnRow {
  number: number;
  layout: number;
  place: number;
  sample: string | null;
  source: string | null;
  counts: unknown;
  facts: unknown;
}

export interface CohortBlockRow {
  number: number;
  part: number;
  plane: number;
  first: number;
  stop: number;
  checksum: unknown;
  content: Uint8Array;
}

export const layoutRows: StoredRows<CohortLayoutRow, CohortLayout> = {
  table: layouts,
  key: 'number',
  columns: ['number', 'id', 'build', 'thresholds', 'sets', 'version', 'columns', 'arranged'],
  read(values, { id, build, thresholds, sets }) {
    intact(builds.includes(build));
    return { id, build, thresholds: values.parseJson(thresholds) as number[], sets };
  },
};

/** What is kept of a column besides the sample and the source. */
type ColumnFacts = Omit<CohortEntry, 'sample' | 'source'>;

export const columnRows: StoredRows<ColumnRow, ColumnFacts | object> = {
  table: columns,
  key: 'number',
  columns: ['number', 'layout', 'place', 'sample', 'source', 'counts', 'facts'],
  read(values, { sample, source, facts }) {
    if (sample === null) return {};
    intact(source !== null);
    return values.parseJson(facts) as ColumnFacts;
  },
};

export function blockOfRow(
  values: Engine['values'],
  { part, plane, first, stop, checksum, content }: Omit<CohortBlockRow, 'number'>,
): CohortBlock {
  return { part, plane, from: first, to: stop, checksum: values.parseBig(checksum), content };
}

/** For the search for damage: a block is never left out of a result. */
export const blockRows: StoredRows<CohortBlockRow, CohortBlock> = {
  table: blocks,
  key: 'number',
  columns: ['number', 'part', 'plane', 'first', 'stop', 'checksum', 'content'],
  read(values, row) {
    const block = blockOfRow(values, row);
    intact(blockChecksum(block) === block.checksum);
    return block;
  },
};

// The layout of a build, locked or not, and its columns.

type LayoutKey = { build: Build } | { id: string };

export async function layoutRow({ read }: Database, by: LayoutKey): Promise<CohortLayoutRow | undefined> {
  const [row]: CohortLayoutRow[] = await read(layouts).select(layoutRows.columns).where(by);
  return row;
}

/** Locked until the end of the transaction: changes of members or blocks of a build wait here for each other. */
export async function lockedLayout({ write, engine }: Database, by: LayoutKey): Promise<CohortLayoutRow | undefined> {
  const [row]: CohortLayoutRow[] = await engine.forUpdate(write(layouts).select(layoutRows.columns).where(by));
  return row;
}

/** All, always in one order, against deadlocks. */
export async function lockedLayouts({ write, engine }: Database): Promise<CohortLayoutRow[]> {
  return engine.forUpdate(write(layouts).select(layoutRows.columns).orderBy('number'));
}

export async function stateIn({ read, engine }: Database, row: CohortLayoutRow): Promise<CohortState> {
  const { values } = engine;
  const found: ColumnRow[] = await read(columns)
    .select(columnRows.columns)
    .where({ layout: row.number })
    .orderBy('place');
  const members: CohortMember[] = [];
  const suspended: number[] = [];
  const left: number[] = [];
  for (const one of found) {
    const { sample, source, place, counts } = one;
    if (sample === null || source === null) left.push(place);
    else if (!values.parseBoolean(counts)) suspended.push(place);
    else members.push({ sample, source, ...(columnRows.read(values, one) as ColumnFacts), column: place });
  }
  return {
    layout: layoutRows.read(values, row),
    version: values.parseBig(row.version),
    columns: row.columns,
    members,
    suspended,
    left,
  };
}

/** Counts the change that the transaction makes. */
export async function countChange({ write, engine }: Database, row: CohortLayoutRow): Promise<void> {
  await write(layouts)
    .where({ number: row.number })
    .update({ version: engine.values.parseBig(row.version) + 1 });
}
