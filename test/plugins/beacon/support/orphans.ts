/** Rows that belong to no segment, or to no sample of one, and that no sweep would find. */
import { selectNumber } from '../../../support/sql.js';

export async function countOrphans(section: Record<string, unknown>): Promise<number> {
  let orphans = 0;
  for (const [table, segment] of [
    ['beacon_alleles', 'id / 4294967296'],
    ['beacon_breakends', 'id / 4294967296'],
    ['beacon_uncalled', 'id / 4294967296'],
    ['beacon_fractions', 'id / 4294967296'],
    ['beacon_extents', 'segment'],
    ['beacon_samples', 'segment'],
  ]) {
    const text = `select count(*) as number from ${table} where ${segment} not in (select id from beacon_segments)`;
    orphans += await selectNumber(section, text);
  }
  const facts =
    'select count(*) as number from beacon_sample_facts f where not exists (select 1 from beacon_segments g ' +
    "join beacon_samples s on s.segment = g.id where g.state = 'published' and g.dataset = f.dataset and s.name = f.name)";
  return orphans + (await selectNumber(section, facts));
}
