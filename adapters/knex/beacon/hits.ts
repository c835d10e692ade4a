/**
 * Alleles of datasets, put together from the rows of their segments, and the samples and datasets of segments. A segment never
 * changes, and its number is never used again: its facts may be kept.
 */
import { type Allele, type Allowance, type NamedCarrier, Tally } from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { carriersIn, decodeCarriers } from './carriers.js';
import { alleleOfRow, type IndexPath, type StoredAlleleRow, segmentOfRow, segmentRows } from './layout.js';

/** Names in a generation; one takes some 100 bytes, or 300 if its segment has no other. */
const namesKept = 100_000;
/** Reads in a generation. */
const reads = 10_000;

interface SegmentFacts {
  dataset: string;
  /** Names of samples by ordinal. */
  names: ReadonlyMap<number, string>;
}

/** By number. */
type Segments = ReadonlyMap<number, SegmentFacts>;

/**
 * Keeps what was read in the present generation of reads and in the one before, so that removed segments are forgotten
 * without a notification.
 */
export class SampleNames {
  #present = new Map<number, SegmentFacts>();
  #before: ReadonlyMap<number, SegmentFacts> = new Map();
  #names = 0;
  #reads = 0;

  /** Dataset and samples of these segments; one that went away meanwhile has no entry. */
  async of(database: Database, segments: ReadonlySet<number>): Promise<Segments> {
    const found = new Map<number, SegmentFacts>();
    const missing: number[] = [];
    this.#reads += 1;
    for (const segment of segments) {
      const facts = this.#present.get(segment) ?? this.#before.get(segment);
      if (facts === undefined) missing.push(segment);
      else {
        found.set(segment, facts);
        this.#keep(segment, facts);
      }
    }
    if (missing.length === 0) return found;
    const rows = await database.query<{ segment: number; dataset: string; ordinal: number; name: string }>(
      'select s.segment, g.dataset, s.ordinal, s.name from beacon_samples s join beacon_segments g on g.id = s.segment ' +
        // Whole numbers of our own making.
        `where s.segment in (${missing.map(Math.trunc).join(', ')})`,
      [],
    );
    const names = new Map<number, Map<number, string>>();
    for (const { segment, dataset, ordinal, name } of rows) {
      const here = names.get(segment) ?? new Map<number, string>();
      names.set(segment, here.set(ordinal, name));
      found.set(segment, { dataset, names: here });
    }
    for (const segment of names.keys()) this.#keep(segment, found.get(segment) as SegmentFacts);
    return found;
  }

  #keep(segment: number, facts: SegmentFacts): void {
    if (this.#names >= namesKept || this.#reads >= reads) {
      this.#before = this.#present;
      this.#present = new Map();
      this.#names = 0;
      this.#reads = 0;
    }
    if (this.#present.has(segment)) return;
    this.#present.set(segment, facts);
    this.#names += facts.names.size;
  }
}

// Alleles of datasets, put together from the rows of their segments.

/** The columns that are read of every row. */
const hitColumns = [
  'contig',
  'start',
  'stop',
  'reference',
  'alternate',
  'kind',
  'structural',
  'mate',
  'calls',
  'carriers',
  'segment',
  // The row, if it can be reached from both of its ends: a breakend within one chromosome. Null otherwise, for brevity.
  'twofold',
  // What the import stated of the allele; of one that is only counted, just a stated length.
  'stated',
] as const;

/** Those of rows whose alleles are returned rather than counted. */
const returnedColumns = [...hitColumns, 'carrier_count'] as const;

type HitColumn = (typeof returnedColumns)[number];

/**
 * What is read of rows beside places and bases: their carriers; also all that is stated of the allele; or that and the number of
 * carriers, with the carriers themselves only of a row without that number.
 */
export type HitDetail = 'carriers' | 'all' | 'numbers';

/** In the order of the lists. */
export function columnsFor(wanted: HitDetail): readonly HitColumn[] {
  return wanted === 'carriers' ? hitColumns : returnedColumns;
}

type DerivedColumn = 'segment' | 'twofold' | 'stated';

/** The columns as they are selected from a table `a`. */
export function hitSelection(from: IndexPath['from'], wanted: HitDetail): string {
  const key = `${from} ${wanted}`;
  const known = hitSelections.get(key) ?? selected(columnsFor(wanted), from, wanted);
  hitSelections.set(key, known);
  return known;
}

/** Kept, since every query needs some. */
const hitSelections = new Map<string, string>();

/** What `columnsOfRows` needs of rows that come as objects. */
export function rowSelection(from: IndexPath['from'], wanted: HitDetail): string {
  const columns = returnedColumns.filter((column) => !isDerived(column));
  return `a.id, a.ranges, ${selected(columns, from, wanted)}`;
}

function selected(columns: readonly HitColumn[], from: IndexPath['from'], wanted: HitDetail): string {
  const numbered = from === 'beacon_alleles';
  const expressions: Partial<Record<HitColumn, string>> = {
    segment: `a.id / ${segmentRows}`,
    twofold: 'case when a.mate = a.contig then a.id end',
    stated: wanted === 'carriers' ? "case when a.ranges like '%/%/%' then a.ranges end" : 'a.ranges',
    ...(wanted === 'numbers' && numbered && { carriers: 'case when a.carrier_count is null then a.carriers end' }),
    ...(!numbered && { carrier_count: 'cast(null as integer)' }),
  };
  return columns.map((column) => `${expressions[column] ?? `a.${column}`} as ${column}`).join(', ');
}

function isDerived(column: HitColumn): column is DerivedColumn {
  return column === 'segment' || column === 'twofold' || column === 'stated';
}

export type NumberedRow = StoredAlleleRow & { carrier_count: number | null };
type HitRow = NumberedRow & { segment: number; twofold: number | string | null; stated: string | null };

/** The values of many rows by column: an object for every row would cost more than finding it. */
export type HitColumns = { [Name in (typeof hitColumns)[number]]: HitRow[Name][] } & {
  carrier_count?: (number | null)[];
};

export function columnsOfLists(lists: readonly unknown[][], wanted: HitDetail): HitColumns {
  // For every query, so without a pair for each column.
  const columns: Partial<Record<HitColumn, unknown>> = {};
  let i = 0;
  for (const column of columnsFor(wanted)) columns[column] = lists[i++];
  return columns as HitColumns;
}

export function columnsOfRows(rows: readonly NumberedRow[], wanted: HitDetail): HitColumns {
  const derivedOf: Record<DerivedColumn, (row: StoredAlleleRow) => unknown> = {
    segment: segmentOfRow,
    twofold: ({ id, mate, contig }) => (mate === contig ? id : null),
    stated: ({ ranges }) => (wanted !== 'carriers' || (ranges?.split('/').length ?? 0) > 2 ? ranges : null),
  };
  const reader = (column: HitColumn) => (row: NumberedRow) =>
    isDerived(column) ? derivedOf[column](row) : row[column];
  return columnsOfLists(
    columnsFor(wanted).map((column) => rows.map(reader(column))),
    wanted,
  );
}

/** An allele of a dataset as imports stated it, with the numbers of the rows that say who carries it. */
export interface StoredHit {
  allele: Allele;
  dataset: string;
  rows: number[];
}

/** Alleles that match, with the rows and segments that they are of. */
export interface MatchedAlleles {
  hits: readonly StoredHit[];
  columns: HitColumns;
  segments: Segments;
}

/** Thrown if a segment was swept between reading its rows and its samples: the query must be repeated. */
export class SegmentGone extends Error {}

/** The alleles of rows. A breakend within one chromosome may have been reached from both of its ends: its row counts once. */
export function hitsOfColumns(columns: HitColumns, segments: Segments): StoredHit[] {
  const { contig, start, stop, reference, alternate, kind, structural, mate, segment, twofold, stated } = columns;
  const hits: StoredHit[] = [];
  const byStart = new Map<number, StoredHit[]>();
  for (let i = 0; i < start.length; i++) {
    const number = segment[i] as number;
    const dataset = segments.get(number)?.dataset;
    if (dataset === undefined) throw new SegmentGone();
    const here = start[i] as number;
    let known = byStart.get(here);
    if (!known) {
      known = [];
      byStart.set(here, known);
    }
    let hit: StoredHit | undefined;
    for (const other of known) {
      const first = other.rows[0] as number;
      if (
        other.dataset === dataset &&
        stop[first] === stop[i] &&
        alternate[first] === alternate[i] &&
        reference[first] === reference[i] &&
        contig[first] === contig[i] &&
        mate[first] === mate[i] &&
        stated[first] === stated[i]
      ) {
        hit = other;
        break;
      }
    }
    if (!hit) {
      const allele = alleleOfRow({
        contig: contig[i] as number,
        start: here,
        stop: stop[i] as number,
        reference: reference[i] as string,
        alternate: alternate[i] as string,
        kind: kind[i] as string,
        structural: structural[i] as number,
        mate: mate[i] as number | null,
        ranges: stated[i] as string | null,
      });
      hit = { allele, dataset, rows: [i] };
      known.push(hit);
      hits.push(hit);
    } else if (twofold[i] === null || hit.rows.every((row) => twofold[row] !== twofold[i])) hit.rows.push(i);
  }
  return hits;
}

/** Those who carry an allele by the rows of it. */
export function carriersOfHit(
  { rows }: StoredHit,
  { carriers, calls, segment }: HitColumns,
  segments: Segments,
): NamedCarrier[] {
  const all: NamedCarrier[] = [];
  for (const row of rows) {
    const text = carriers[row] as string | null;
    const names = segments.get(segment[row] as number)?.names;
    if (text === null) all.push([nameOfSample(names, 0), calls[row] as number]);
    else for (const [ordinal, copies] of decodeCarriers(text, 0)) all.push([nameOfSample(names, ordinal), copies]);
  }
  return all;
}

/** How often the rows of an allele call it, and how many carriers they have together. */
export function numbersOfHit(
  { rows }: StoredHit,
  { carriers, calls, carrier_count: counts }: HitColumns,
): { calls: number; carriers: number } {
  const numbers = { calls: 0, carriers: 0 };
  for (const row of rows) {
    numbers.calls += calls[row] as number;
    numbers.carriers += counts?.[row] ?? carriersIn(carriers[row] as string | null);
  }
  return numbers;
}

function nameOfSample(names: ReadonlyMap<number, string> | undefined, ordinal: number): string {
  const name = names?.get(ordinal);
  if (name === undefined) throw new SegmentGone();
  return name;
}

/** What a search has counted: a tally for each dataset, within what it may read. */
export interface DatasetTallies {
  tallies: Map<string, Tally>;
  allowance: Allowance;
}

/** Adds alleles to the tallies of their datasets. */
export function countAlleles(
  hits: readonly StoredHit[],
  columns: HitColumns,
  segments: Segments,
  { tallies, allowance }: DatasetTallies,
): void {
  for (const hit of hits) {
    const tally = tallies.get(hit.dataset) ?? new Tally();
    tallies.set(hit.dataset, tally);
    const carriers = tally.add(hit.allele, carriersOfHit(hit, columns, segments));
    allowance.take(hit.allele, carriers);
  }
}
