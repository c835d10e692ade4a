/**
 * How alleles are stored in tables, and how the rows of a segment are read in ranges of ids, so that no single statement runs
 * for long.
 */
import {
  type Allele,
  type Assembly,
  assemblies,
  type Bounds,
  type Contig,
  contigs,
  type Statement,
} from '../../../plugins/beacon/contract.js';
import type { Database, Engine, Scalar } from '../binding.js';

// How alleles are stored in tables.
//
// Every import is an immutable *segment*: its rows carry ids from `segment × 2³²` on, so that a segment is a range of
// the primary key and costs no index of its own. A segment is seen once its row in `beacon_segments` says `published`;
// that flip, a handful of small rows in one transaction, makes a load visible whole or not at all. Removing
// samples writes new segments without them and replaces the old ones; small segments are replaced by one that has the rows of
// all (`compact.ts`). A segment may have several rows of one allele, which state different ranges of it.
//
// If the engine partitions tables, the rows are separated by assembly and contig. Every statement therefore bounds the
// contig, which two small tables make possible:
// - `beacon_extents` says on which contigs a segment has rows, and between which ids.
// - `beacon_breakends` holds the rows of breakends once more, to find them by their far end, wherever the near one is.
//
// A structural allele of plain bases is stored as its record writes it. `trimmed` is where it starts without the bases that
// reference and alternate share (null of nearly all rows), so that it is found by those bases too.

/** Rows in a segment, at most. */
export const segmentRows = 2 ** 32;

/** First and last possible row id of a segment. */
export function rowRange(segment: number): [first: number, last: number] {
  return [segment * segmentRows, (segment + 1) * segmentRows - 1];
}

/** The number of the segment that a row is of. */
export function segmentOf({ id }: Pick<StoredAlleleRow, 'id'>): number {
  return Math.floor(Number(id) / segmentRows);
}

/**
 * Rows of loads that may be merged are *fresh*: within their segment they have numbers from here on. Some engines keep them
 * apart in the index by place, so that a load changes the pages of a small index, however many rows are stored; a merge
 * moves many rows at once to the large one.
 */
const freshNumber = 2 ** 31;

/** The first row id of a new segment. */
export function firstRow(segment: number, { fresh }: { fresh: boolean }): number {
  return rowRange(segment)[0] + (fresh ? freshNumber : 0);
}

/** The rows that each half of the index by place leads to, as conditions on an id. */
export function placeHalves(engine: Engine, id: string): readonly string[] {
  return engine.halves(`((${id} & ${freshNumber}) <> 0)`);
}

/** What to select from if contig and start lead to the rows. Not for cross joins, which a planner could turn round. */
export function allelesByPlace(engine: Engine): string {
  const halves = placeHalves(engine, 'id').map((half) => `select * from beacon_alleles where ${half}`);
  return halves.length === 0 ? 'beacon_alleles' : `(${halves.join(' union all ')})`;
}

/** Assembly and contig in one small number: GRCh37's 1 is 101, GRCh38's MT is 225. */
export function contigCode(assembly: Assembly, contig: Contig): number {
  return (assemblies.indexOf(assembly) + 1) * 100 + contigs.indexOf(contig) + 1;
}

function contigOf(code: number): Contig {
  const contig = contigs[(code % 100) - 1];
  if (contig === undefined) throw new RangeError(`No contig has the code ${code}`);
  return contig;
}

/**
 * Longest allele of each span class, in bases. An allele that reaches position p starts at most that far before p, which
 * bounds the search for what ends or overlaps somewhere; nearly all alleles are in class 0.
 */
export const spanLimits = [64, 1024, 16_384, 262_144, 4_194_304, 67_108_864, Number.MAX_SAFE_INTEGER] as const;

/** Breakends have a class of their own: their end lies elsewhere. */
export const breakendSpan = spanLimits.length;

export function spanOf(allele: Allele): number {
  if (allele.mate !== undefined) return breakendSpan;
  const length = allele.end - allele.start;
  return spanLimits.findIndex((limit) => length <= limit);
}

/** The columns of `beacon_alleles`, in the order in which rows are appended. */
export const alleleColumns = [
  'id',
  'contig',
  'span',
  'start',
  'stop',
  'reference',
  'alternate',
  'kind',
  'structural',
  'mate',
  'calls',
  'carriers',
  'ranges',
  'trimmed',
] as const;

/**
 * What a row counts of its carriers, beside them (`row-counts.ts`): samples, those with two or more copies, and cases. Null
 * if a row has a sole carrier without text, or was written by release 0.1.
 */
export const countColumns = ['carrier_count', 'twice_count', 'case_count'] as const;

/** A row of `beacon_alleles` as it comes back. */
export interface StoredAlleleRow {
  id: number | string;
  contig: number;
  start: number;
  stop: number;
  reference: string;
  alternate: string;
  kind: string;
  structural: number;
  mate: number | null;
  calls: number;
  carriers: string | null;
  ranges: string | null;
}

/** What `alleleOf` and `carriersOf` need of a row. */
export const alleleSelection =
  'a.id, a.contig, a.start, a.stop, a.reference, a.alternate, a.kind, a.structural, a.mate, a.calls, a.carriers, a.ranges';

/** What makes two rows the same allele, for joins of `s` with `o`. */
export const sameAllele =
  'o.contig = s.contig and o.start = s.start and o.stop = s.stop and o.reference = s.reference ' +
  'and o.alternate = s.alternate and coalesce(o.mate, 0) = coalesce(s.mate, 0)';

/** What a row says of the allele itself. */
export type PlacedRow = Omit<StoredAlleleRow, 'id' | 'calls' | 'carriers'>;

export function alleleOf(row: Omit<PlacedRow, 'ranges'> & Partial<PlacedRow>): Allele {
  const allele: Allele = {
    contig: contigOf(row.contig),
    start: row.start,
    end: row.stop,
    reference: row.reference,
    alternate: row.alternate,
    kind: row.kind,
    structural: row.structural === 1,
  };
  if (row.mate !== null) allele.mate = contigOf(row.mate);
  if (row.ranges) Object.assign(allele, decodeRanges(row.ranges));
  return allele;
}

/**
 * The ranges of start and end as text, `40..60/90..110`, each possibly empty, and after them a stated length if there is one:
 * `40..60/90..110/350`. Null if nothing is stated.
 */
export function encodeRanges({ startRange, endRange, length }: Statement): string | null {
  if (!startRange && !endRange && length === undefined) return null;
  const ranges = `${boundsText(startRange)}/${boundsText(endRange)}`;
  return length === undefined ? ranges : `${ranges}/${length}`;
}

function decodeRanges(text: string): Statement {
  const [start = '', end = '', length] = text.split('/');
  const [startRange, endRange] = [boundsOf(start), boundsOf(end)];
  return {
    ...(startRange && { startRange }),
    ...(endRange && { endRange }),
    ...(length !== undefined && { length: Number(length) }),
  };
}

function boundsText(bounds: Bounds | undefined): string {
  return bounds ? `${bounds.min}..${bounds.max}` : '';
}

function boundsOf(text: string): Bounds | undefined {
  if (text === '') return undefined;
  const [min, max] = text.split('..').map(Number);
  return { min: min ?? 0, max: max ?? 0 };
}

// A segment's rows in ranges of ids, so that no single statement runs for long, nor reads another chromosome's rows.

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
export async function portions(database: Database, segment: number, size = countedRows): Promise<SegmentPortion[]> {
  const found: SegmentPortion[] = [];
  for (const { contig, first, last } of await byContig(database, segment)) {
    for (let from = first; from <= last; from += size) {
      found.push({ contig, first: from, last: Math.min(from + size - 1, last) });
    }
  }
  return found;
}

/** All rows of a segment, by contig. Extents are stored together with the rows, so no row is outside. */
export async function byContig(database: Database, segment: number): Promise<SegmentPortion[]> {
  const rows = await database.query<ExtentRow>(
    'select e.contig, e.first, e.last from beacon_extents e where e.segment = ? order by e.first',
    [segment],
  );
  return rows.map(portionOf);
}

/** The published rows of a dataset by segment and contig, optionally only those with structural rows. */
export async function portionsOf(database: Database, dataset: string, structural: boolean): Promise<SegmentPortion[]> {
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

/** Only the contig of a portion, whichever rows they are. */
export function onContig(engine: Engine, name: string): string {
  return `${engine.partitionColumn(`${name}.contig`)} = ?`;
}

type ExtentRow = { [Column in keyof SegmentPortion]: number | string };

function portionOf({ contig, first, last }: ExtentRow): SegmentPortion {
  return { contig: Number(contig), first: Number(first), last: Number(last) };
}
