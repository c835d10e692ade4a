/** Brings rows of one allele within a staged segment together: needed only where its input was not sorted. */

import { alleleKey, callsWithinBounds, widened } from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { addCarriers, type Carriers, decodeCarriers, encodeCarriers } from './carriers.js';
import { type AlleleRow, alleleOf, alleleSelection, countColumns, encodeRanges } from './layout.js';
import { bounds, byContig, onContig, type Portion, within } from './portions.js';
import type { StagedSegment } from './segment.js';

/** Rows folded in one transaction; at least two, so that each round leaves fewer. */
const foldedRows = 10_000;

/** For each allele, the row with the lowest id takes over the carriers of later rows, and their ranges. */
export async function foldRepeats(database: Database, segment: StagedSegment): Promise<void> {
  const allele = 'start, stop, reference, alternate, coalesce(mate, 0)';
  // Rows are counted rather than joined: planners without statistics took the worst of ways to join them.
  const repeated =
    `select * from (select ${alleleSelection}, count(*) over (partition by ${allele}) as times ` +
    `from beacon_alleles a where ${within(database.engine, 'a')}) as counted ` +
    `where times > 1 order by ${allele}, id limit ${foldedRows}`;
  for (const portion of await byContig(database, segment.id)) {
    for (;;) {
      const rows = await database.query<AlleleRow>(repeated, bounds(portion));
      if (rows.length === 0) break;
      await database.transaction((scoped) => fold(scoped, portion, rows, segment));
    }
  }
}

async function fold(
  { write, engine }: Database,
  { contig }: Portion,
  rows: readonly AlleleRow[],
  segment: StagedSegment,
): Promise<void> {
  const groups = new Map<string, [AlleleRow, ...AlleleRow[]]>();
  for (const row of rows) {
    const key = alleleKey(alleleOf(row));
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  const superfluous: AlleleRow[] = [];
  for (const [kept, ...others] of groups.values()) {
    superfluous.push(...others);
    const { carriers, ...folded } = together(kept, others);
    const text = kept.carriers === null ? null : encodeCarriers(carriers);
    if (folded.calls === kept.calls && text === kept.carriers && folded.ranges === kept.ranges) continue;
    const counts = text === null ? [] : segment.countsOf(carriers).map((count, i) => [countColumns[i], count]);
    for (const table of kept.mate === null ? ['beacon_alleles'] : ['beacon_alleles', 'beacon_breakends']) {
      const counted = table === 'beacon_alleles' ? Object.fromEntries(counts) : {};
      await write(table)
        .where({ id: kept.id })
        .whereRaw(onContig(engine, table), [contig])
        .update({ ...folded, carriers: text, ...counted });
    }
  }
  const ids = (some: readonly AlleleRow[]) => some.map(({ id }) => id);
  await engine
    .whereIn(write('beacon_alleles'), 'id', ids(superfluous))
    .whereRaw(onContig(engine, 'beacon_alleles'), [contig])
    .delete();
  await engine.whereIn(write('beacon_breakends'), 'id', ids(superfluous.filter(({ mate }) => mate !== null))).delete();
}

function together(
  kept: AlleleRow,
  others: readonly AlleleRow[],
): Pick<AlleleRow, 'calls' | 'ranges'> & { carriers: Carriers } {
  const carriers = decodeCarriers(kept.carriers, kept.calls);
  let allele = alleleOf(kept);
  for (const other of others) {
    allele = widened(allele, alleleOf(other));
    addCarriers(carriers, decodeCarriers(other.carriers, other.calls));
  }
  return {
    calls: callsWithinBounds(allele, carriers),
    carriers,
    ranges: encodeRanges(allele),
  };
}
