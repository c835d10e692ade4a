/** All alleles of a dataset in order, in constant memory. */
import {
  type Allele,
  alleleKey,
  byAllele,
  type CountedAllele,
  contigs,
  widened,
} from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { type AlleleRow, alleleOf, contigCode } from './layout.js';
import { type Path, seen } from './paths.js';
import { published } from './published.js';
import { portions } from './search.js';

/** Alleles handed on at once. */
const batchSize = 1000;

/** Everything from one state of the database. The rows of one start, from all imports, are brought together. */
export function eachAllele(
  database: Database,
  dataset: string,
  take: (alleles: readonly CountedAllele[]) => Promise<void>,
): Promise<void> {
  return database.snapshot(async (snapshot) => {
    const { assembly } = await published(snapshot, dataset);
    let batch: CountedAllele[] = [];
    for (const contig of contigs) {
      let here = new Map<string, CountedAllele>();
      let start = -1;
      const release = async () => {
        batch.push(...[...here.values()].sort(byAllele));
        here = new Map();
        if (batch.length < batchSize) return;
        await take(batch);
        batch = [];
      };
      const path: Path = {
        from: 'beacon_alleles',
        where: ['a.contig = ?'],
        bindings: [contigCode(assembly, contig)],
      };
      seen(path, [dataset]);
      for await (const row of rowsOf(snapshot, path)) {
        if (row.start !== start) await release();
        start = row.start;
        const allele: Allele = alleleOf(row);
        const key = alleleKey(allele);
        const known = here.get(key);
        here.set(key, { ...widened(known ?? allele, allele), calls: (known?.calls ?? 0) + row.calls });
      }
      await release();
    }
    if (batch.length > 0) await take(batch);
  });
}

async function* rowsOf(database: Database, path: Path): AsyncGenerator<AlleleRow> {
  for await (const rows of portions(database, path)) yield* rows;
}
