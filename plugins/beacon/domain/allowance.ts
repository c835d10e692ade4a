/** How much one search may read: the one rule of every storage adapter. */
import { Fault } from '../../../core/storage.js';
import { type Allele, adjacencyKey, alleleKey } from './allele.js';

/**
 * Counts the carriers that a search finds: one for each matching allele and sample, in every dataset. A carrier costs as much
 * as an allele, so that a limit on alleles alone would not limit the work in a dataset of many samples.
 */
export class Allowance {
  readonly #limit: number;
  #carriers = 0;
  /** The first allele that was found. */
  #only: string | undefined;
  #several = false;

  constructor(limit: number = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  /**
   * To be called with the number of carriers of each match before more is read. Throws an `invalid` fault beyond the limit;
   * a single allele may have any number of carriers, since no query can be narrower.
   */
  take(allele: Allele, carriers: number): void {
    this.#carriers += carriers;
    if (!this.#several) {
      const key = allele.kind === 'BND' ? adjacencyKey(allele) : alleleKey(allele);
      this.#only ??= key;
      this.#several = key !== this.#only;
    }
    if (this.#several && this.#carriers > this.#limit) {
      throw new Fault(
        'invalid',
        `The query is too wide: its alleles have more than ${this.#limit} carriers. Please ask for a narrower range, ` +
          'or for fewer datasets',
      );
    }
  }
}
