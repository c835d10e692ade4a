/** How much one search may read: the rule that every storage adapter keeps. */
import { Fault } from '../../../core/storage.js';
import { type Allele, adjacencyKey, alleleKey } from './allele.js';

/**
 * Counts what a search finds: one for each matching allele and sample that carries it, in every dataset. Carriers cost as
 * much as alleles do, so that a bound on alleles alone would bound nothing in a dataset of many samples.
 */
export class Allowance {
  readonly #limit: number;
  #carriers = 0;
  /** The allele that was found, as long as it is the only one. */
  #only: string | undefined;
  #several = false;

  constructor(limit: number = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  /**
   * To be called with the carriers of each match before more is read. Throws an `invalid` fault beyond the limit; but one
   * allele alone may have any number of carriers, since nobody could ask for less.
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
