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
 * A sample has an allele in one portion only. With `repeats` it may have it in several: its largest count is taken, as from
 * the records of one junction.
 */
export class Tally {
  readonly #repeats: boolean;
  readonly #alleles = new Set<string>();
  readonly #samples = new Set<string>();
  /** Largest counts by sample, of junctions and of alleles that may repeat. */
  readonly #largest = new Map<string, Map<string, number>>();
  #calls = 0;

  constructor({ repeats = false }: { repeats?: boolean } = {}) {
    this.#repeats = repeats;
  }

  /** Returns the number of carriers; with `repeats`, of those that were not added before. */
  add(allele: Allele, carriers: Iterable<NamedCarrier>): number {
    const isJunction = allele.kind === 'BND';
    const largest = isJunction || this.#repeats ? this.#largestOf(allele) : undefined;
    if (!largest) this.#alleles.add(alleleKey(allele));
    let came = 0;
    for (const [sample, copies] of carriers) {
      this.#samples.add(sample);
      const known = largest?.get(sample);
      if (isJunction || known === undefined) came++;
      if (largest) largest.set(sample, Math.max(known ?? 0, copies));
      else this.#calls += copies;
    }
    return came;
  }

  #largestOf(allele: Allele): Map<string, number> {
    const key = allele.kind === 'BND' ? adjacencyKey(allele) : alleleKey(allele);
    let largest = this.#largest.get(key);
    if (!largest) {
      largest = new Map();
      this.#largest.set(key, largest);
    }
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
