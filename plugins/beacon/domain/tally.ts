/** Counts what a query found in one dataset. */
import { type Allele, adjacencyKey, alleleKey } from './allele.js';

export interface Counts {
  /** Distinct matching alleles; the two records of one breakend junction count once. */
  alleles: number;
  /** Alternate alleles called, over all samples. */
  calls: number;
  /** Distinct samples that carry at least one matching allele. */
  samples: number;
}

/** A sample's name with its number of copies. */
export type NamedCarrier = readonly [sample: string, copies: number];

/**
 * Adds up matching alleles of one dataset. The same allele may come in several portions (one per import), in any order;
 * a sample carries one allele in one portion only. From the records of one junction a sample's largest count is taken.
 */
export class Tally {
  readonly #alleles = new Set<string>();
  readonly #samples = new Set<string>();
  readonly #junctions = new Map<string, Map<string, number>>();
  #calls = 0;

  add(allele: Allele, carriers: Iterable<NamedCarrier>): void {
    const junction = allele.kind === 'BND' ? this.#junction(adjacencyKey(allele)) : undefined;
    if (!junction) this.#alleles.add(alleleKey(allele));
    for (const [sample, copies] of carriers) {
      this.#samples.add(sample);
      if (junction) junction.set(sample, Math.max(junction.get(sample) ?? 0, copies));
      else this.#calls += copies;
    }
  }

  #junction(key: string): Map<string, number> {
    let junction = this.#junctions.get(key);
    if (!junction) {
      junction = new Map();
      this.#junctions.set(key, junction);
    }
    return junction;
  }

  /** Distinct alleles so far, as they are counted. */
  get alleles(): number {
    return this.#alleles.size + this.#junctions.size;
  }

  counts(): Counts {
    let calls = this.#calls;
    for (const junction of this.#junctions.values()) for (const copies of junction.values()) calls += copies;
    return { alleles: this.alleles, calls, samples: this.#samples.size };
  }
}
