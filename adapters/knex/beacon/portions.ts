/** A segment's rows in ranges of ids, so that no single statement runs for long, nor reads another chromosome's rows. */
import type { Database, Engine, Scalar } from '../binding.js';

/** Rows that one counting statement looks at. */
const countedRows = 50_000;

/** Ids of a segment's rows, and the contigs that they lie on, each the first and last of a range. */
export interface Portion {
  ids: [first: number, last: number];
  contigs: [lowest: number, highest: number];
}

/** Where a segment has rows on one contig: stored together with the rows, so that none lies outside. */
interface Extent {
  contig: number;
  first: number;
  last: number;
}

/** A segment's rows by ranges of `size` ids. */
export async function portions(database: Database, segment: number, size = countedRows): Promise<Portion[]> {
  const extents = await extentsOf(database, segment);
  const found: Portion[] = [];
  const last = Math.max(...extents.map((extent) => extent.last));
  for (let from = extents[0]?.first ?? Number.POSITIVE_INFINITY; from <= last; from += size) {
    const to = from + size - 1;
    const here = extents.filter((extent) => extent.first <= to && extent.last >= from);
    const codes = here.map(({ contig }) => contig);
    if (here.length > 0) found.push({ ids: [from, to], contigs: [Math.min(...codes), Math.max(...codes)] });
  }
  return found;
}

/** All rows of a segment, by contig. */
export async function byContig(database: Database, segment: number): Promise<Portion[]> {
  return (await extentsOf(database, segment)).map(portionOf);
}

/** The published rows of a dataset by segment and contig; only where there are structural ones, or anywhere. */
export async function portionsOf(database: Database, dataset: string, structural: boolean): Promise<Portion[]> {
  const rows = await database.query<ExtentRow>(
    'select e.contig, e.first, e.last from beacon_segments g join beacon_extents e on e.segment = g.id ' +
      `where g.dataset = ? and g.state = 'published' ${structural ? 'and e.structural = 1 ' : ''}order by e.first`,
    [dataset],
  );
  return rows.map(extentOf).map(portionOf);
}

/** The rows of a portion in a table called `name`. */
export function within(engine: Engine, name: string): string {
  return `${name}.id between ? and ? and ${onContigs(engine, name)}`;
}

/** The values that `within` binds. */
export function bounds({ ids, contigs }: Portion): Scalar[] {
  return [...ids, ...contigs];
}

/** Only the contigs of a portion, whichever rows they are. */
export function onContigs(engine: Engine, name: string): string {
  return `${engine.partitionColumn(`${name}.contig`)} between ? and ?`;
}

function portionOf({ contig, first, last }: Extent): Portion {
  return { ids: [first, last], contigs: [contig, contig] };
}

type ExtentRow = { [Column in keyof Extent]: number | string };

async function extentsOf(database: Database, segment: number): Promise<Extent[]> {
  const rows = await database.query<ExtentRow>(
    'select e.contig, e.first, e.last from beacon_extents e where e.segment = ? order by e.first',
    [segment],
  );
  return rows.map(extentOf);
}

function extentOf({ contig, first, last }: ExtentRow): Extent {
  return { contig: Number(contig), first: Number(first), last: Number(last) };
}
