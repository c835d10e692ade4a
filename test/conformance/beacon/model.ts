/** A beacon as simple as can be: for every sample of a dataset, which alleles it carries. What others are compared with. */
import {
  type Allele,
  type AlleleQuery,
  type Assembly,
  alleleKey,
  type CalledAllele,
  type Counts,
  type DatasetHit,
  matches,
  Tally,
} from '../../../plugins/beacon/contract.js';

interface ModelDataset {
  assembly: Assembly;
  /** By sample, then by allele: the allele and the copies of it. */
  samples: Map<string, Map<string, { allele: Allele; copies: number }>>;
}

export class Model {
  readonly #datasets = new Map<string, ModelDataset>();

  add(id: string, assembly: Assembly): void {
    this.#datasets.set(id, { assembly, samples: new Map() });
  }

  remove(id: string): void {
    this.#datasets.delete(id);
  }

  import(id: string, samples: readonly string[], alleles: Iterable<CalledAllele>): void {
    const dataset = this.#dataset(id);
    for (const name of samples) if (!dataset.samples.has(name)) dataset.samples.set(name, new Map());
    for (const { carriers, ...allele } of alleles) {
      for (const [index, copies] of carriers) {
        const carried = dataset.samples.get(samples[index] ?? '');
        const key = alleleKey(allele);
        if (carried && !carried.has(key)) carried.set(key, { allele, copies });
      }
    }
  }

  removeSamples(id: string, samples: Iterable<string>): void {
    for (const name of samples) this.#dataset(id).samples.delete(name);
  }

  samples(id: string): string[] {
    return [...(this.#datasets.get(id)?.samples.keys() ?? [])].sort();
  }

  totals(id: string): Counts {
    const keys = new Set<string>();
    let calls = 0;
    const { samples } = this.#dataset(id);
    for (const carried of samples.values()) {
      for (const [key, { copies }] of carried) {
        keys.add(key);
        calls += copies;
      }
    }
    return { alleles: keys.size, calls, samples: samples.size };
  }

  /** `rule` decides which alleles match, `tally` how they are counted: both as the contract has them. */
  search(query: AlleleQuery, ids: Iterable<string>, rule = matches, tally = () => new Tally()): DatasetHit[] {
    return [...new Set(ids)].sort().flatMap((id) => {
      const dataset = this.#datasets.get(id);
      if (dataset?.assembly !== query.assembly) return [];
      const counted = tally();
      let found = false;
      for (const [sample, carried] of dataset.samples) {
        for (const { allele, copies } of carried.values()) {
          if (!rule(allele, query)) continue;
          counted.add(allele, [[sample, copies]]);
          found = true;
        }
      }
      return found ? [{ dataset: id, ...counted.counts() }] : [];
    });
  }

  #dataset(id: string): ModelDataset {
    const dataset = this.#datasets.get(id);
    if (!dataset) throw new RangeError(`The model has no dataset "${id}".`);
    return dataset;
  }
}
