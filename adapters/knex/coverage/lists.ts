/** Lists of intervals. */
import { Fault } from '../../../core/storage.js';
import {
  type Build,
  byPlace,
  type Exon,
  type IntervalFilter,
  type IntervalKind,
  type Intervals,
} from '../../../plugins/coverage/contract.js';
import type { Database } from '../binding.js';
import { type IntervalRows, readers, rowRange, tables } from './layout.js';
import { among, publishedSets } from './sets.js';

/** Intervals handed on at once. */
const batchSize = 2000;

export function select<Kind extends IntervalKind>(
  database: Database,
  kind: Kind,
  build: Build,
  filter: IntervalFilter,
): Promise<Intervals[Kind][]> {
  return database.snapshot(async (snapshot) => {
    const set = among(await publishedSets(snapshot), kind, build);
    if (!set) return [];
    const column = 'ids' in filter || kind === 'genes' ? 'ensembl' : 'gene';
    const wanted = [...new Set('ids' in filter ? filter.ids : filter.genes)];
    const rows: IntervalRows[Kind][] = await snapshot.run(({ read, engine }) => {
      // The range matters where no index leads to the column: then only this set is gone through.
      const query = read(tables[kind]).where({ set_id: set.id }).whereBetween('id', rowRange(set.id));
      return engine.whereIn(query, column, wanted).select('*');
    });
    return rows.map(readers[kind]).sort(inOrder);
  });
}

function inOrder(left: Intervals[IntervalKind], right: Intervals[IntervalKind]): number {
  return byPlace(left, right) || ('rank' in left && 'rank' in right ? byTranscript(left, right) : 0);
}

function byTranscript(left: Exon, right: Exon): number {
  if (left.transcript !== right.transcript) return left.transcript < right.transcript ? -1 : 1;
  return left.rank - right.rank;
}

/**
 * In portions, each by a statement of its own: a reader that takes its time holds no connection. The rows of a set never
 * change, and stay for a while after it was replaced.
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
  const [first, last] = rowRange(found.id);
  let left = Math.min(limit ?? found.set.rows, found.set.rows);
  for (let from = first; left > 0; ) {
    const rows = await database.query<IntervalRows[Kind]>(
      `select * from ${tables[kind]} where id between ? and ? order by id limit ?`,
      [from, last, Math.min(left, batchSize)],
    );
    const final = rows.at(-1);
    if (!final) throw new Fault('conflict', `The ${kind} of ${build} were replaced meanwhile; please ask again`);
    left -= rows.length;
    from = database.engine.values.parseBig(final.id) + 1;
    await take(rows.map(readers[kind]));
  }
}
