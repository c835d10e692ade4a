/** Rows of the cohorts' layouts, columns and blocks. */
import {
  blockChecksum,
  builds,
  type CohortBlock,
  type CohortEntry,
  type CohortLayout,
} from '../../../plugins/coverage/contract.js';
import type { Engine } from '../binding.js';
import { intact, type StoredRows } from '../rows.js';
import { blocks, columns, layouts } from './migrations.js';

export interface LayoutRow {
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

export interface BlockRow {
  number: number;
  part: number;
  plane: number;
  first: number;
  stop: number;
  checksum: unknown;
  content: Uint8Array;
}

export const layoutRows: StoredRows<LayoutRow, CohortLayout> = {
  table: layouts,
  key: 'number',
  columns: ['number', 'id', 'build', 'thresholds', 'sets', 'version', 'columns', 'arranged'],
  read(values, { id, build, thresholds, sets }) {
    intact(builds.includes(build));
    return { id, build, thresholds: values.parseJson(thresholds) as number[], sets };
  },
};

/** What is kept of a column besides the sample and the source. */
export type ColumnFacts = Omit<CohortEntry, 'sample' | 'source'>;

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

export function blockOf(
  values: Engine['values'],
  { part, plane, first, stop, checksum, content }: Omit<BlockRow, 'number'>,
): CohortBlock {
  return { part, plane, from: first, to: stop, checksum: values.parseBig(checksum), content };
}

/** For the search for damage: a block is never left out of a result. */
export const blockRows: StoredRows<BlockRow, CohortBlock> = {
  table: blocks,
  key: 'number',
  columns: ['number', 'part', 'plane', 'first', 'stop', 'checksum', 'content'],
  read(values, row) {
    const block = blockOf(values, row);
    intact(blockChecksum(block) === block.checksum);
    return block;
  },
};
