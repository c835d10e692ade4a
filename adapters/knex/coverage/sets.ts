/** The sets that are in place. */
import {
  type Build,
  builds,
  type Chromosome,
  type IntervalSet,
  intervalKinds,
  type SetKind,
} from '../../../plugins/coverage/contract.js';
import type { Database } from '../binding.js';

/** A published set, and the number that its rows bear. */
export interface PublishedSet {
  id: number;
  set: IntervalSet;
}

interface SetRow {
  id: number;
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

const selectSets =
  'select id, kind, build, loaded, rows, chromosomes, release, source, checksum, "read", skipped ' +
  "from coverage_sets where state = 'published'";

const order: readonly SetKind[] = [...intervalKinds, 'names'];

/** By build and kind, names last. */
export async function publishedSets(database: Database): Promise<PublishedSet[]> {
  const rows = await database.query<SetRow>(selectSets, []);
  const place = ({ set: { build, kind } }: PublishedSet) =>
    (build ? builds.indexOf(build) : builds.length) * order.length + order.indexOf(kind);
  return rows.map((row) => ({ id: row.id, set: setOf(database, row) })).sort((a, b) => place(a) - place(b));
}

export function among(sets: readonly PublishedSet[], kind: SetKind, build?: Build): PublishedSet | undefined {
  return sets.find(({ set }) => set.kind === kind && set.build === build);
}

function setOf({ engine: { values } }: Database, row: SetRow): IntervalSet {
  return {
    kind: row.kind,
    ...(row.build !== null && { build: row.build }),
    loaded: values.parseTime(row.loaded),
    rows: row.rows,
    chromosomes: values.parseJson(row.chromosomes) as { chromosome: Chromosome; rows: number }[],
    ...(row.release !== null && { release: row.release }),
    source: row.source,
    checksum: row.checksum,
    read: row.read,
    skipped: values.parseJson(row.skipped) as Record<string, number>,
  };
}
