/** Counts the matches of a query in one dataset. */
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
 * Adds up matching alleles of one dataset. The same allele may come in several portions (one for each import), in any order.
 * A sample has an allele in one portion only; of the records of one junction its largest count is taken.
 */
export class Tally {
  readonly #alleles = new Set<string>();
  readonly #samples = new Set<string>();
  /** Largest counts by sample, of junctions. */
  readonly #largest = new Map<string, Map<string, number>>();
  #calls = 0;

  /** Returns the number of carriers. */
  add(allele: Allele, carriers: Iterable<NamedCarrier>): number {
    const largest = allele.kind === 'BND' ? this.#largestOf(allele) : undefined;
    if (!largest) this.#alleles.add(alleleKey(allele));
    let came = 0;
    for (const [sample, copies] of carriers) {
      this.#samples.add(sample);
      came++;
      if (largest) largest.set(sample, Math.max(largest.get(sample) ?? 0, copies));
      else this.#calls += copies;
    }
    return came;
  }

  #largestOf(allele: Allele): Map<string, number> {
    const key = adjacencyKey(allele);
    const largest = this.#largest.get(key) ?? new Map<string, number>();
    this.#largest.set(key, largest);
    return largest;
  }

  /** Distinct alleles so far. */
  get alleles(): number {
    return this.#alleles.size + this.#largest.size;
  }

  counts(): Counts {
    let calls = this.#calls;
    for (const samples of this.#largest.values()) for (const copies of samples.values()) calls += copies;
    return { alleles: this.alleles, calls, samples: this.#samples.size };
  }
}
