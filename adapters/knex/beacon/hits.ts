/** Alleles of datasets, put together from the rows of their segments. */
import { type Allele, type Allowance, type NamedCarrier, Tally } from '../../../plugins/beacon/contract.js';
import { segmentOf } from './as-written.js';
import { decodeCarriers } from './carriers.js';
import { type AlleleRow, alleleOf, segmentRows } from './layout.js';
import type { Segments } from './samples.js';

/** The columns that are read of a row, in the order of the lists. */
export const hitColumns = [
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
  // What the import stated of an insertion: its length. Null of all others, for brevity.
  'stated',
] as const;

type Derived = 'segment' | 'twofold' | 'stated';

const derived: Record<Derived, string> = {
  segment: `a.id / ${segmentRows}`,
  twofold: 'case when a.mate = a.contig then a.id end',
  stated: "case when a.kind >= 'INS' and a.kind < 'INT' then a.ranges end",
};

/** As they are selected from a table `a`. */
export const hitSelection = hitColumns
  .map((column) => (isDerived(column) ? `${derived[column]} as ${column}` : `a.${column}`))
  .join(', ');

function isDerived(column: (typeof hitColumns)[number]): column is Derived {
  return column in derived;
}

type HitRow = AlleleRow & { segment: number; twofold: number | string | null; stated: string | null };

/** The values of many rows by column: an object for every row would cost more than finding it. */
export type Columns = { [Column in (typeof hitColumns)[number]]: HitRow[Column][] };

export function columnsOf(lists: readonly unknown[][]): Columns {
  return Object.fromEntries(hitColumns.map((column, i) => [column, lists[i]])) as unknown as Columns;
}

export function columnsOfRows(rows: readonly AlleleRow[]): Columns {
  const derivedOf: Record<Derived, (row: AlleleRow) => unknown> = {
    segment: segmentOf,
    twofold: ({ id, mate, contig }) => (mate === contig ? id : null),
    stated: ({ kind, ranges }) => (kind >= 'INS' && kind < 'INT' ? ranges : null),
  };
  return columnsOf(
    hitColumns.map((column) => rows.map((row) => (isDerived(column) ? derivedOf[column](row) : row[column]))),
  );
}

/** An allele of a dataset as imports stated it, with the numbers of the rows that say who carries it. */
export interface Hit {
  allele: Allele;
  dataset: string;
  rows: number[];
}

/** Thrown if a segment was swept between reading its rows and its samples: the query must be repeated. */
export class SegmentGone extends Error {}

/** The alleles of rows. A breakend within one chromosome may have been reached from both of its ends: its row counts once. */
export function hitsOf(columns: Columns, segments: Segments): Hit[] {
  const { contig, start, stop, reference, alternate, kind, structural, mate, segment, twofold, stated } = columns;
  const hits: Hit[] = [];
  const byStart = new Map<number, Hit[]>();
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
    let hit: Hit | undefined;
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
      const allele = alleleOf({
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
export function carriersOf({ rows }: Hit, { carriers, calls, segment }: Columns, segments: Segments): NamedCarrier[] {
  const all: NamedCarrier[] = [];
  for (const row of rows) {
    const text = carriers[row] as string | null;
    const names = segments.get(segment[row] as number)?.names;
    if (text === null) all.push([nameOf(names, 0), calls[row] as number]);
    else for (const [ordinal, copies] of decodeCarriers(text, 0)) all.push([nameOf(names, ordinal), copies]);
  }
  return all;
}

function nameOf(names: ReadonlyMap<number, string> | undefined, ordinal: number): string {
  const name = names?.get(ordinal);
  if (name === undefined) throw new SegmentGone();
  return name;
}

/** What a search has found: a tally for each dataset, within what it may read. */
export interface Found {
  tallies: Map<string, Tally>;
  allowance: Allowance;
  /** Whether a sample may come several times with one allele. */
  repeats: boolean;
}

/** Adds alleles to the tallies of their datasets. */
export function count(
  hits: readonly Hit[],
  columns: Columns,
  segments: Segments,
  { tallies, allowance, repeats }: Found,
): void {
  for (const hit of hits) {
    const tally = tallies.get(hit.dataset) ?? new Tally({ repeats });
    tallies.set(hit.dataset, tally);
    const carriers = tally.add(hit.allele, carriersOf(hit, columns, segments));
    allowance.take(hit.allele, carriers);
  }
}
