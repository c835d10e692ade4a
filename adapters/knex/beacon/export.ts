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
import { present, segmentOf } from './as-written.js';
import { decodeCarriers } from './carriers.js';
import { type AlleleRow, alleleOf, contigCode } from './layout.js';
import { type Path, seen } from './paths.js';
import { type PublishedSegment, published } from './published.js';
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
    const { assembly, segments } = await published(snapshot, dataset);
    const asWritten = new Set(segments.filter((segment) => segment.asWritten).map(({ id }) => id));
    const copies = asWritten.size > 0 ? new LargestCopies(segments) : undefined;
    let batch: CountedAllele[] = [];
    for (const contig of contigs) {
      const here = new Map<string, CountedAllele>();
      let start = -1;
      const release = async (before: number) => {
        const complete = [...here].filter(([, allele]) => allele.start < before);
        for (const [key] of complete) here.delete(key);
        batch.push(...complete.map(([, allele]) => allele).sort(byAllele));
        copies?.forget(complete.map(([key]) => key));
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
        // A row as its file wrote it stands for an allele that starts there, or further on.
        if (row.start !== start) await release(row.start);
        start = row.start;
        const allele: Allele = alleleOf(asWritten.has(segmentOf(row)) ? present(row) : row);
        const key = alleleKey(allele);
        const known = here.get(key);
        const more = copies?.add(key, row) ?? row.calls;
        here.set(key, { ...widened(known ?? allele, allele), calls: (known?.calls ?? 0) + more });
      }
      await release(Number.POSITIVE_INFINITY);
    }
    if (batch.length > 0) await take(batch);
  });
}

/** The copies of samples that may come several times with one allele, of which the largest number counts. */
class LargestCopies {
  readonly #names: ReadonlyMap<number, ReadonlyMap<number, string>>;
  readonly #copies = new Map<string, Map<string, number>>();

  constructor(segments: readonly PublishedSegment[]) {
    this.#names = new Map(
      segments.map(({ id, samples }) => [id, new Map(samples.map(({ ordinal, name }) => [ordinal, name]))]),
    );
  }

  /** Returns how many calls a row adds to those that its allele has. */
  add(key: string, row: AlleleRow): number {
    const known = this.#copies.get(key) ?? new Map<string, number>();
    this.#copies.set(key, known);
    let more = 0;
    for (const [ordinal, copies] of decodeCarriers(row.carriers, row.calls)) {
      const name = this.#names.get(segmentOf(row))?.get(ordinal) ?? '';
      const before = known.get(name) ?? 0;
      if (copies <= before) continue;
      known.set(name, copies);
      more += copies - before;
    }
    return more;
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) this.#copies.delete(key);
  }
}

async function* rowsOf(database: Database, path: Path): AsyncGenerator<AlleleRow> {
  for await (const rows of portions(database, path)) yield* rows;
}
