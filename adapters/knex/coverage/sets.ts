/**
 * The sets of intervals: those that are published, the selection of rows in them by a list of values, and the deletion of sets
 * that are no longer used.
 */
import {
  type Build,
  builds,
  type IntervalSet,
  intervalKinds,
  type SetKind,
} from '../../../plugins/coverage/contract.js';
import type { Database } from '../binding.js';
import { intact, readRows, type StoredRows, select } from '../rows.js';
import { deleteRows, StagedSets } from '../staged-sets.js';
import { rowRange, tables } from './layout.js';

/** A published set with its id in the database. */
interface PublishedSet {
  id: number;
  set: IntervalSet;
}

interface IntervalSetRow {
  id: number;
  state: string;
  kind: SetKind;
  build: Build | null;
  loaded: unknown;
  rows: number;
  chromosomes: unknown;
  release: string | null;
  source: string;
  checksum: string;
  read: number;
  skipped: unknown;
}

/** A damaged set is left out: its intervals count as not loaded. */
export const setRows: StoredRows<IntervalSetRow, PublishedSet> = {
  table: 'coverage_sets',
  key: 'id',
  columns: [
    'id',
    'state',
    'kind',
    'build',
    'loaded',
    'rows',
    'chromosomes',
    'release',
    'source',
    'checksum',
    'read',
    'skipped',
  ],
  read(values, row) {
    const chromosomes = values.parseJson(row.chromosomes) as IntervalSet['chromosomes'];
    const skipped = values.parseJson(row.skipped) as Record<string, number>;
    // Other sets are still being loaded, or about to be swept.
    intact(
      row.state !== 'published' || (Array.isArray(chromosomes) && typeof skipped === 'object' && skipped !== null),
    );
    return {
      id: row.id,
      set: {
        kind: row.kind,
        ...(row.build !== null && { build: row.build }),
        loaded: values.parseTime(row.loaded),
        rows: row.rows,
        chromosomes,
        ...(row.release !== null && { release: row.release }),
        source: row.source,
        checksum: row.checksum,
        read: row.read,
        skipped,
      },
    };
  },
};

const selectSets = `select ${setRows.columns.map((column) => `"${column}"`).join(', ')} from coverage_sets where state = 'published'`;

const order: readonly SetKind[] = [...intervalKinds, 'names'];

/** By build and kind, names last. */
export async function publishedSets(database: Database): Promise<PublishedSet[]> {
  const rows = await database.query<IntervalSetRow>(selectSets, []);
  const place = ({ set: { build, kind } }: PublishedSet) =>
    (build ? builds.indexOf(build) : builds.length) * order.length + order.indexOf(kind);
  return readRows(database, setRows, rows).sort((a, b) => place(a) - place(b));
}

export function among(sets: readonly PublishedSet[], kind: SetKind, build?: Build): PublishedSet | undefined {
  return sets.find(({ set }) => set.kind === kind && set.build === build);
}

// Selects rows by a list of values.

interface RowsWanted {
  table: string;
  /** The set that the rows are of. */
  set: number;
  column: string;
  values: readonly (string | number)[];
}

/** All rows of a set with one of the values in the column. */
export function selectRows<Row>(database: Database, { table, set, column, values }: RowsWanted): Promise<Row[]> {
  return select(database, (read) =>
    database.engine.whereIn(read(table).where({ set_id: set }).select('*'), column, values),
  );
}

// Sets of intervals: staged while they are loaded, and freed once no query uses them.

export const intervalSets: StagedSets<{ id: number; kind: SetKind }> = new StagedSets({
  ...{ table: 'coverage_sets', number: 'id', sign: 'touched' },
  async free(database, { id, kind }) {
    await deleteRows(database, tables[kind], 'id', 'id between ? and ?', rowRange(id));
    await database.run(({ write }) => write('coverage_sets').where({ id, state: 'dropped' }).delete());
    return true;
  },
});
