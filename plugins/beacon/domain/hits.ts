/** What a search returns: counts of a dataset, listed alleles, and how much one search may read. */
import { Fault } from '../../../core/storage.js';
import { type Allele, adjacencyKey, alleleKey, byAllele, type CountedAllele } from './allele.js';

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

// Alleles that are found and listed, with how often each is called.

/** An allele of a dataset, with the widest ranges and the largest length that imports of its matching carriers stated. */
export interface FoundAllele extends CountedAllele {
  /** Distinct samples that carry it. */
  samples: number;
  /** The carriers by name, ascending in code-unit order, if they were asked for. */
  named?: readonly NamedCarrier[];
}

/** The alleles of one dataset, in the order of `byAllele`. */
export interface DatasetAlleles {
  dataset: string;
  alleles: readonly FoundAllele[];
}

export interface FoundOptions {
  /** Largest number of alleles, those of all datasets added up. With `carriers`, also of their carriers. */
  limit: number;
  /** Whether to name the carriers. */
  carriers?: boolean;
  /** Aborting throws the signal's reason, and the storage stops working on the query. */
  signal?: AbortSignal;
}

export interface ListingOptions extends Pick<FoundOptions, 'signal'> {
  /** Only alleles after this one in the order of `byAllele`; the dataset need not have it. */
  after?: Allele;
}

/** What several queries found in a dataset: each allele once, in the order of `byAllele`. */
export function eachOnce(...found: readonly (readonly FoundAllele[])[]): FoundAllele[] {
  return [...new Map(found.flat().map((allele) => [alleleKey(allele), allele])).values()].sort(byAllele);
}

// How much one search may read: the one rule of every storage adapter.

/**
 * Counts the carriers that a search finds: one for each matching allele and sample, in every dataset. A carrier costs as much
 * as an allele, so that a limit on alleles alone would not limit the work in a dataset of many samples. Alleles that come
 * without their carriers are counted by themselves: one for each dataset.
 */
export class Allowance {
  readonly #limit: number;
  readonly #of: 'carriers' | 'alleles';
  #taken = 0;
  /** The first allele that was found. */
  #only: string | undefined;
  #several = false;

  constructor(limit: number = Number.POSITIVE_INFINITY, of: 'carriers' | 'alleles' = 'carriers') {
    this.#limit = limit;
    this.#of = of;
  }

  /**
   * To be called with the number of carriers, or alleles, of each match before more is read. Throws an `invalid` fault beyond the
   * limit; a single allele may have any number of carriers, and be in any number of datasets, since no query can be narrower.
   */
  take(allele: Allele, count: number): void {
    this.#taken += count;
    if (!this.#several) {
      const key = allele.kind === 'BND' ? adjacencyKey(allele) : alleleKey(allele);
      this.#only ??= key;
      this.#several = key !== this.#only;
    }
    if (this.#several && this.#taken > this.#limit) {
      const found = this.#of === 'alleles' ? 'it finds' : 'its alleles have';
      throw new Fault(
        'invalid',
        `The query is too wide: ${found} more than ${this.#limit} ${this.#of}. Please ask for a narrower range, ` +
          'or for fewer datasets',
      );
    }
  }
}
