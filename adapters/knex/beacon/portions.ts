/** A segment's rows in ranges of ids, so that no single statement runs for long, nor reads another chromosome's rows. */
import type { Database, Engine, Scalar } from '../binding.js';

/** Rows that one counting statement looks at. */
const countedRows = 50_000;

/** Rows of a segment on one contig, by the first and last id that they may have. */
export interface SegmentPortion {
  contig: number;
  first: number;
  last: number;
}

/**
 * A segment's rows by contig, in ranges of at most `size` ids. Where contigs come in turns the ranges of one hold ids of
 * others, which on PostgreSQL lie elsewhere and cost nothing.
 */
export async function portionsOfSegment(
  database: Database,
  segment: number,
  size = countedRows,
): Promise<SegmentPortion[]> {
  const found: SegmentPortion[] = [];
  for (const { contig, first, last } of await portionsByContig(database, segment)) {
    for (let from = first; from <= last; from += size) {
      found.push({ contig, first: from, last: Math.min(from + size - 1, last) });
    }
  }
  return found;
}

/** All rows of a segment, by contig. Extents are stored together with the rows, so no row is outside. */
export async function portionsByContig(database: Database, segment: number): Promise<SegmentPortion[]> {
  const rows = await database.query<ExtentRow>(
    'select e.contig, e.first, e.last from beacon_extents e where e.segment = ? order by e.first',
    [segment],
  );
  return rows.map(portionOf);
}

/** The published rows of a dataset by segment and contig, optionally only those with structural rows. */
export async function portionsOfDataset(
  database: Database,
  dataset: string,
  structural: boolean,
): Promise<SegmentPortion[]> {
  const rows = await database.query<ExtentRow>(
    'select e.contig, e.first, e.last from beacon_segments g join beacon_extents e on e.segment = g.id ' +
      `where g.dataset = ? and g.state = 'published' ${structural ? 'and e.structural = 1 ' : ''}order by e.first`,
    [dataset],
  );
  return rows.map(portionOf);
}

/** The rows of a portion in a table called `name`. */
export function withinPortion(engine: Engine, name: string): string {
  return `${name}.id between ? and ? and ${onContig(engine, name)}`;
}

/** The values that `withinPortion` binds. */
export function bounds({ contig, first, last }: SegmentPortion): Scalar[] {
  return [first, last, contig];
}

/**
 * Only the contig of a portion, whichever rows they are. It excludes other partitions, and must not make the engine choose an
 * index: because of the sign, a planner without partitions ignores the column.
 */
export function onContig({ partitioning }: Pick<Engine, 'partitioning'>, name: string): string {
  return `${partitioning ? '' : '+'}${name}.contig = ?`;
}

type ExtentRow = { [Column in keyof SegmentPortion]: number | string };

function portionOf({ contig, first, last }: ExtentRow): SegmentPortion {
  return { contig: Number(contig), first: Number(first), last: Number(last) };
}
