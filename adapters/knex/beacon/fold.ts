/** Brings rows of one allele within a staged segment together: needed only where its input was not sorted. */

import { alleleKey, widened } from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { callsOf, decodeCarriers, encodeCarriers } from './carriers.js';
import { type AlleleRow, alleleOf, alleleSelection, encodeRanges, rowRange, sameAllele } from './layout.js';

/** Rows folded in one transaction; at least two, so that each round leaves fewer. */
const foldedRows = 10_000;

/** For each allele, the row with the lowest id takes over the carriers that only later rows have, and their ranges. */
export async function foldRepeats(database: Database, segment: number): Promise<void> {
  const range = rowRange(segment);
  const repeated =
    `select ${alleleSelection} from beacon_alleles a where a.id between ? and ? and exists (` +
    'select 1 from beacon_alleles o where o.id between ? and ? and o.id <> a.id ' +
    `and ${sameAllele.replaceAll('s.', 'a.')}) ` +
    `order by a.contig, a.start, a.stop, a.reference, a.alternate, coalesce(a.mate, 0), a.id limit ${foldedRows}`;
  for (;;) {
    const rows = await database.query<AlleleRow>(repeated, [...range, ...range]);
    if (rows.length === 0) return;
    const groups = new Map<string, AlleleRow[]>();
    for (const row of rows) {
      const key = alleleKey(alleleOf(row));
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
    await database.transaction(async ({ write }) => {
      for (const [kept, ...others] of groups.values()) {
        if (!kept || others.length === 0) continue;
        const carriers = decodeCarriers(kept.carriers, kept.calls);
        let allele = alleleOf(kept);
        for (const other of others) {
          allele = widened(allele, alleleOf(other));
          for (const [sample, copies] of decodeCarriers(other.carriers, other.calls)) {
            if (!carriers.has(sample)) carriers.set(sample, copies);
          }
        }
        await write('beacon_alleles')
          .where({ id: kept.id })
          .update({
            calls: callsOf(carriers),
            carriers: kept.carriers === null ? null : encodeCarriers(carriers),
            ranges: encodeRanges(allele),
          });
        await write('beacon_alleles')
          .whereIn(
            'id',
            others.map(({ id }) => id),
          )
          .delete();
      }
    });
  }
}
