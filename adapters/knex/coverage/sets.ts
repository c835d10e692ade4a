/** The published sets. */
import {
  type Build,
  builds,
  type IntervalSet,
  intervalKinds,
  type SetKind,
} from '../../../plugins/coverage/contract.js';
import type { Database } from '../binding.js';
import { intact, readRows, type StoredRows } from '../rows.js';

/** A published set with its id in the database. */
export interface PublishedSet {
  id: number;
  set: IntervalSet;
}

interface SetRow {
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
export const setRows: StoredRows<SetRow, PublishedSet> = {
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
  const rows = await database.query<SetRow>(selectSets, []);
  const place = ({ set: { build, kind } }: PublishedSet) =>
    (build ? builds.indexOf(build) : builds.length) * order.length + order.indexOf(kind);
  return readRows(database, setRows, rows).sort((a, b) => place(a) - place(b));
}

export function among(sets: readonly PublishedSet[], kind: SetKind, build?: Build): PublishedSet | undefined {
  return sets.find(({ set }) => set.kind === kind && set.build === build);
}
