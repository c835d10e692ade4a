/** Rows that belong to no segment, and that no sweep would find. */
import { selectNumber } from '../../../support/sql.js';

export async function countOrphans(section: Record<string, unknown>): Promise<number> {
  let orphans = 0;
  for (const [table, segment] of [
    ['beacon_alleles', 'id / 4294967296'],
    ['beacon_breakends', 'id / 4294967296'],
    ['beacon_extents', 'segment'],
    ['beacon_samples', 'segment'],
  ]) {
    const text = `select count(*) as number from ${table} where ${segment} not in (select id from beacon_segments)`;
    orphans += await selectNumber(section, text);
  }
  return orphans;
}
