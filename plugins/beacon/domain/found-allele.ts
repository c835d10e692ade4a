/** Alleles that are found and listed, with how often each is called. */
import { type Allele, alleleKey, byAllele, type CountedAllele } from './allele.js';
import type { NamedCarrier } from './tally.js';

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
