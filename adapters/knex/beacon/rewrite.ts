/**
 * What step 004 does to the rows of before: small alleles that were stored as files wrote them become canonical, and those
 * that stood beside a symbolic alternate, and were taken for breakends, get the kind of their bases. All of it in the
 * transaction of the step: after any failure the rows are as they were.
 */
import type { Knex } from 'knex';
import { canonical, kindOfSequence, trimmedStart } from '../../../plugins/beacon/contract.js';
import type { Engine, Scalar } from '../binding.js';
import { mergeCoinciding, type Sampled } from './coincide.js';
import { type AlleleRow, alleleOf, encodeRanges, segmentRows, spanOf } from './layout.js';
import { onContig } from './portions.js';

/** Ids that one statement looks at. */
const scannedIds = 50_000;

/** The columns of `beacon_alleles` as this step leaves them. */
const columns = [
  'id', 'contig', 'span', 'start', 'stop', 'reference', 'alternate', 'kind', 'structural', 'mate', 'calls', 'carriers',
  'ranges', 'trimmed',
] as const; // biome-ignore format: one line a dozen reads better

/**
 * Rows whose alternate begins or ends with the same base as the reference, and breakends without brackets: few enough,
 * of which the rule itself then says which are written anew.
 */
const suspects =
  'mate is null and ((length(reference) > 1 and length(alternate) > 1 and (substr(reference, 1, 1) = substr(alternate, 1, 1) ' +
  'or substr(reference, length(reference), 1) = substr(alternate, length(alternate), 1))) ' +
  "or (structural = 1 and kind = 'BND'))";

interface Extent {
  segment: number;
  contig: number;
  first: number;
  last: number;
}

export async function rewriteAlleles(schema: Knex, engine: Engine): Promise<void> {
  const datasets: { id: string }[] = await schema('beacon_datasets').select('id').orderBy('id');
  for (const { id } of datasets) {
    const segments = await publishedSegments(schema, id);
    const extents = await extentsOf(schema, id);
    let rewritten = 0;
    const moved = new Map<Extent, number[]>();
    for (const extent of extents) {
      const ids: number[] = [];
      for (let from = extent.first; from <= extent.last; from += scannedIds) {
        const range = { ...extent, first: from, last: Math.min(from + scannedIds - 1, extent.last) };
        rewritten += await rewriteRange(schema, engine, range, ids);
      }
      if (ids.length > 0) moved.set(extent, ids);
    }
    if (rewritten === 0) continue;
    // Only now that all rows have their new form is it known which coincide.
    for (const [extent, ids] of moved) await mergeCoinciding(schema, engine, segments, extent, ids);
    await recount(schema, engine, id, extents);
  }
}

/** Writes the rows of a range anew that need it, and answers how many; `moved` gets the ids of those with other bases. */
async function rewriteRange(schema: Knex, engine: Engine, range: Extent, moved: number[]): Promise<number> {
  const found: AlleleRow[] = await schema('beacon_alleles')
    .whereBetween('id', [range.first, range.last])
    .whereRaw(onContig(engine, 'beacon_alleles'), [range.contig])
    .whereRaw(suspects)
    .orderBy('id');
  const rows: Scalar[][] = [];
  const ids: number[] = [];
  for (const row of found) {
    const after = rewritten(row);
    if (!after) continue;
    const id = Number(row.id);
    ids.push(id);
    if (after.start !== row.start || after.reference !== row.reference) moved.push(id);
    const values = { ...after, id };
    rows.push(columns.map((column) => values[column]));
  }
  if (rows.length === 0) return 0;
  await engine
    .whereIn(schema('beacon_alleles'), 'id', ids)
    .whereRaw(onContig(engine, 'beacon_alleles'), [range.contig])
    .delete();
  await engine.append(schema, 'beacon_alleles', columns, rows);
  return rows.length;
}

/** The row as it is stored now; undefined if that is how it is. */
function rewritten(row: AlleleRow): (AlleleRow & { span: number; trimmed: number | null }) | undefined {
  const before = alleleOf(row);
  // No record states BND for plain bases: the kind was that of an alternate beside them.
  const mistaken = before.structural && before.kind === 'BND' && /^[ACGTN]+$/.test(before.alternate);
  const { startRange: _start, endRange: _end, ...bare } = before;
  const after = canonical(
    mistaken ? { ...bare, structural: false, kind: kindOfSequence(bare.reference, bare.alternate) } : before,
  );
  const start = trimmedStart(after);
  if (after === before && start === undefined) return undefined;
  return {
    ...row,
    start: after.start,
    stop: after.end,
    span: spanOf(after),
    reference: after.reference,
    alternate: after.alternate,
    kind: after.kind,
    structural: after.structural ? 1 : 0,
    ranges: encodeRanges(after),
    trimmed: start ?? null,
  };
}

async function publishedSegments(schema: Knex, dataset: string): Promise<Sampled[]> {
  const rows: { segment: number; ordinal: number; name: string }[] = await schema('beacon_samples as s')
    .join('beacon_segments as g', 'g.id', 's.segment')
    .where({ 'g.dataset': dataset, 'g.state': 'published' })
    .select('s.segment', 's.ordinal', 's.name');
  const segments = new Map<number, Map<number, string>>();
  for (const { segment, ordinal, name } of rows) {
    const names = segments.get(segment) ?? new Map<number, string>();
    segments.set(segment, names.set(ordinal, name));
  }
  return [...segments].map(([segment, names]) => ({ segment, names }));
}

async function extentsOf(schema: Knex, dataset: string): Promise<Extent[]> {
  const rows: Record<keyof Extent, number | string>[] = await schema('beacon_extents as e')
    .join('beacon_segments as g', 'g.id', 'e.segment')
    .where({ 'g.dataset': dataset, 'g.state': 'published' })
    .select('e.segment', 'e.contig', 'e.first', 'e.last')
    .orderBy('e.first');
  return rows.map(({ segment, contig, first, last }) => ({
    segment: Number(segment),
    contig: Number(contig),
    first: Number(first),
    last: Number(last),
  }));
}

/** The totals of a dataset, and where it has structural alleles, from its rows. */
async function recount(schema: Knex, engine: Engine, dataset: string, extents: readonly Extent[]): Promise<void> {
  const segments = [...new Set(extents.map(({ segment }) => segment))];
  const contigs = [...new Set(extents.map(({ contig }) => contig))];
  let [alleles, calls] = [0, 0];
  for (const contig of contigs) {
    const here = () =>
      schema('beacon_alleles')
        .where({ contig })
        .whereRaw(`id / ${segmentRows} in (${segments.join(', ')})`);
    const [row]: { alleles?: number | string }[] = await schema
      .count({ alleles: '*' })
      .from(here().distinct('start', 'stop', 'reference', 'alternate', 'mate').as('distinct_alleles'));
    const [sum] = await here().sum({ calls: 'calls' });
    alleles += Number(row?.alleles ?? 0);
    calls += Number(sum?.calls ?? 0);
  }
  await schema('beacon_datasets')
    .where({ id: dataset })
    .update({ allele_count: alleles, call_count: calls, revision: schema.raw('revision + 1') });
  for (const { segment, contig, first, last } of extents) {
    const structural = await schema('beacon_alleles')
      .whereBetween('id', [first, last])
      .whereRaw(onContig(engine, 'beacon_alleles'), [contig])
      .where({ structural: 1 })
      .first('id');
    await schema('beacon_extents')
      .where({ segment, contig })
      .update({ structural: structural ? 1 : 0 });
  }
}
