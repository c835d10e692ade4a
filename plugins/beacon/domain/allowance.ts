/** How much one search may read: the one rule of every storage adapter. */
import { Fault } from '../../../core/storage.js';
import { type Allele, adjacencyKey, alleleKey } from './allele.js';

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
