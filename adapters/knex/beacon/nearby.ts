/** The structural alleles around a structural variant. */
import {
  type Around,
  alleleKey,
  type CountedAllele,
  matches,
  nearest,
  queryAround,
  type SearchOptions,
  type StructuralQuestion,
} from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { findDataset } from './datasets.js';
import { alleleOf } from './layout.js';
import { pathsTo } from './paths.js';
import { portions } from './search.js';

/**
 * Rows as files wrote them need no other form: only small alleles and breakends have one. All rows within reach are read, so
 * that `reach` bounds the work.
 */
export function nearby(
  database: Database,
  dataset: string,
  question: StructuralQuestion,
  { reach, limit, signal }: Around & Pick<SearchOptions, 'signal'>,
): Promise<CountedAllele[]> {
  signal?.throwIfAborted();
  return database.until(signal).snapshot(async (snapshot) => {
    const described = await findDataset(snapshot, dataset);
    if (!described) return [];
    const query = queryAround(described.assembly, question, reach);
    const found = new Map<string, CountedAllele>();
    for (const path of pathsTo(query, new Set([dataset]))) {
      if (path.from !== 'beacon_alleles') continue;
      for await (const rows of portions(snapshot, path)) {
        for (const row of rows) {
          const allele = alleleOf({ ...row, ranges: null });
          if (!matches(allele, query)) continue;
          const key = alleleKey(allele);
          found.set(key, { ...allele, calls: (found.get(key)?.calls ?? 0) + row.calls });
        }
      }
    }
    return nearest([...found.values()], question, limit);
  });
}
