/** Lists of intervals. */
import { Fault } from '../../../core/storage.js';
import {
  type Build,
  byPlaceAndRank,
  type Exon,
  type IntervalFilter,
  type IntervalKind,
  type Intervals,
} from '../../../plugins/coverage/contract.js';
import type { Database } from '../binding.js';
import {
  type ExonsRow,
  exonsOf,
  type GeneRow,
  geneOf,
  rowRange,
  type TranscriptRow,
  tables,
  transcriptOf,
} from './layout.js';
import { selectRows } from './select-rows.js';
import { among, publishedSets } from './sets.js';

/** Rows read by one statement; a row of exons has about ten exons. */
const batchSize = 1000;

export function select<Kind extends IntervalKind>(
  database: Database,
  kind: Kind,
  build: Build,
  filter: IntervalFilter,
): Promise<Intervals[Kind][]> {
  return database.snapshot(async (snapshot) => {
    const set = among(await publishedSets(snapshot), kind, build);
    if (!set) return [];
    if (kind === 'exons' && 'ids' in filter) {
      return (await exonsById(snapshot, set.id, filter.ids)).sort(byPlaceAndRank) as Intervals[Kind][];
    }
    const column = 'ids' in filter || kind === 'genes' ? 'ensembl' : 'gene';
    const values = [...new Set('ids' in filter ? filter.ids : filter.genes)];
    const rows = await selectRows<Row[Kind]>(snapshot, { table: tables[kind], set: set.id, column, values });
    return rows.flatMap(readers[kind]).sort(byPlaceAndRank);
  });
}

/** The most ids that the engine searches for: with more, testing a row costs more than reading it. */
const fewIds = 4;

/** Exons have no index on their own id, since such queries are rare: all rows of the set are scanned once. */
async function exonsById(database: Database, set: number, wanted: readonly string[]): Promise<Exon[]> {
  const ids = new Set(wanted.filter((id) => /^ENSE\d{11}$/.test(id)));
  const found: Exon[] = [];
  for await (const rows of ids.size > fewIds
    ? portions<ExonsRow>(database, 'exons', set)
    : having(database, set, ids)) {
    for (const row of rows) {
      // Most rows contain none of the ids; only the others are parsed.
      if (!row.exons.match(/ENSE\d{11}/g)?.some((id) => ids.has(id))) continue;
      found.push(...exonsOf(row).filter(({ ensembl }) => ids.has(ensembl)));
    }
  }
  return found;
}

/** The rows of a set of exons that contain one of the ids, selected by the engine. */
async function* having(database: Database, set: number, ids: ReadonlySet<string>): AsyncGenerator<ExonsRow[]> {
  if (ids.size === 0) return;
  const [first, last] = rowRange(set);
  const holds = [...ids].map(() => 'exons like ?').join(' or ');
  const patterns = [...ids].map((id) => `%${id}%`);
  yield database.query<ExonsRow>(`select * from ${tables.exons} where id between ? and ? and (${holds})`, [
    first,
    last,
    ...patterns,
  ]);
}

interface Row {
  genes: GeneRow;
  transcripts: TranscriptRow;
  exons: ExonsRow;
}

const readers: { [Kind in IntervalKind]: (row: Row[Kind]) => Intervals[Kind] | Intervals[Kind][] } = {
  genes: geneOf,
  transcripts: transcriptOf,
  exons: exonsOf,
};

/** The rows of a set in their order. */
async function* portions<Each extends { id: number | string }>(
  database: Database,
  kind: IntervalKind,
  set: number,
): AsyncGenerator<Each[]> {
  const [first, last] = rowRange(set);
  for (let from = first; ; ) {
    const rows = await database.query<Each>(
      `select * from ${tables[kind]} where id between ? and ? order by id limit ?`,
      [from, last, batchSize],
    );
    const final = rows.at(-1);
    if (!final) return;
    yield rows;
    from = database.engine.values.parseBig(final.id) + 1;
  }
}

/**
 * Reads in portions, each with a statement of its own, so that a slow reader holds no connection. The rows of a set never
 * change, and are kept for a while after the set was replaced.
 */
export async function each<Kind extends IntervalKind>(
  database: Database,
  kind: Kind,
  build: Build,
  limit: number | undefined,
  take: (rows: readonly Intervals[Kind][]) => Promise<void>,
): Promise<void> {
  const found = among(await publishedSets(database), kind, build);
  if (!found) return;
  let left = Math.min(limit ?? found.set.rows, found.set.rows);
  if (left <= 0) return;
  for await (const rows of portions<Row[Kind]>(database, kind, found.id)) {
    const intervals = rows.flatMap(readers[kind]).slice(0, left);
    left -= intervals.length;
    await take(intervals);
    if (left === 0) return;
  }
  throw new Fault('conflict', `The ${kind} of ${build} were replaced meanwhile; repeat the request`);
}
