/** Rows of one sample that became one allele by being written anew: step 004 again. */
import type { Knex } from 'knex';
import { alleleKey, widened } from '../../../plugins/beacon/contract.js';
import type { Engine } from '../binding.js';
import { type Carriers, callsOf, decodeCarriers, encodeCarriers } from './carriers.js';
import { type AlleleRow, alleleOf, encodeRanges, segmentRows } from './layout.js';
import { onContig } from './portions.js';

/** Alleles that are looked for at a time. */
const soughtAlleles = 500;

/** A segment, and its samples by ordinal. */
export interface Sampled {
  segment: number;
  names: ReadonlyMap<number, string>;
}

interface Place {
  segment: number;
  contig: number;
}

/**
 * Sees to it that, among the segments that share a sample with this one, each sample has each of its alleles `ids` in one
 * row only, and a segment each allele: the row with the most copies.
 */
export async function mergeCoinciding(
  schema: Knex,
  engine: Engine,
  segments: readonly Sampled[],
  { segment, contig }: Place,
  ids: readonly number[],
): Promise<void> {
  const related = relatedTo(segment, segments);
  const rowsOf = () => schema('beacon_alleles').whereRaw(onContig(engine, 'beacon_alleles'), [contig]);
  const within = `id / ${segmentRows} in (${[...related.keys()].join(', ')})`;
  for (let i = 0; i < ids.length; i += soughtAlleles) {
    const sought: AlleleRow[] = await engine.whereIn(rowsOf(), 'id', ids.slice(i, i + soughtAlleles));
    const starts = [...new Set(sought.map(({ start }) => start))];
    const rows: AlleleRow[] = await engine
      .whereIn(rowsOf().where({ contig }), 'start', starts)
      .whereRaw(within)
      .orderBy('id');
    for (const group of coinciding(sought, rows)) await settle(schema, engine, contig, group, related);
  }
}

/** The segment itself and those that share a sample with it, with the names of their samples. */
function relatedTo(segment: number, segments: readonly Sampled[]): Map<number, Sampled['names']> {
  const own = new Set(segments.find((other) => other.segment === segment)?.names.values());
  const related = segments.filter(
    (other) => other.segment === segment || [...other.names.values()].some((name) => own.has(name)),
  );
  return new Map(related.map(({ segment, names }) => [segment, names]));
}

/** Rows of one allele by twos and more. */
function coinciding(sought: readonly AlleleRow[], rows: readonly AlleleRow[]): AlleleRow[][] {
  const keyOf = (row: AlleleRow) => alleleKey(alleleOf(row));
  const groups = new Map(sought.map((row): [string, AlleleRow[]] => [keyOf(row), []]));
  for (const row of rows) groups.get(keyOf(row))?.push(row);
  return [...groups.values()].filter((group) => group.length > 1);
}

/** Gives each carrier to the row that has most copies of it, and the rows of one segment to the first of them. */
async function settle(
  schema: Knex,
  engine: Engine,
  contig: number,
  rows: readonly AlleleRow[],
  related: ReadonlyMap<number, Sampled['names']>,
): Promise<void> {
  const most = new Map<string, { segment: number; ordinal: number; copies: number }>();
  const kept = new Map<number, AlleleRow>();
  const superfluous: AlleleRow[] = [];
  for (const row of rows) {
    const segment = Math.floor(Number(row.id) / segmentRows);
    const first = kept.get(segment);
    if (first) {
      superfluous.push(row);
      kept.set(segment, { ...first, ranges: encodeRanges(widened(alleleOf(first), alleleOf(row))) });
    } else kept.set(segment, row);
    for (const [ordinal, copies] of decodeCarriers(row.carriers, row.calls)) {
      const name = related.get(segment)?.get(ordinal) ?? '';
      if (copies > (most.get(name)?.copies ?? 0)) most.set(name, { segment, ordinal, copies });
    }
  }
  const rowOf = (id: AlleleRow['id']) =>
    schema('beacon_alleles').where({ id }).whereRaw(onContig(engine, 'beacon_alleles'), [contig]);
  for (const { id } of superfluous) await rowOf(id).delete();
  for (const [segment, row] of kept) {
    const carriers: Carriers = new Map();
    for (const carrier of most.values()) if (carrier.segment === segment) carriers.set(carrier.ordinal, carrier.copies);
    if (carriers.size === 0) await rowOf(row.id).delete();
    else {
      const text = row.carriers === null ? null : encodeCarriers(new Map([...carriers].sort(([a], [b]) => a - b)));
      await rowOf(row.id).update({ calls: callsOf(carriers), carriers: text, ranges: row.ranges });
    }
  }
}
