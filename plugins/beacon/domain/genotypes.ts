/** Genotypes of samples at sites, packed into bits so that thousands of samples are compared within milliseconds. */
import type { Allele, Contig } from './allele.js';
import type { Sample } from './sample.js';

/** A single-base change, in the terms of an allele. */
export type Site = Pick<Allele, 'contig' | 'start' | 'reference' | 'alternate'>;

/** X, Y and MT do not come in two copies, or not in both sexes. */
export function isAutosome(contig: Contig): boolean {
  return contig !== 'X' && contig !== 'Y' && contig !== 'MT';
}

/** Whether an allele is one that samples are compared by. */
export function isSite({ contig, reference, alternate, structural }: Allele): boolean {
  return !structural && isAutosome(contig) && isSingleBase(reference) && isSingleBase(alternate);
}

function isSingleBase(bases: string): boolean {
  return bases.length === 1 && bases !== 'N';
}

/** The allele at a site. */
export function alleleAt(site: Site): Allele {
  return { ...site, end: site.start + 1, kind: 'SNP', structural: false };
}

export function siteOf({ contig, start, reference, alternate }: Site): Site {
  return { contig, start, reference, alternate };
}

/** The samples of a dataset with what is stored of them at some sites. */
export interface StoredGenotypes {
  /** All samples of the dataset, in the order of `samples`. */
  samples: readonly Sample[];
  /** By the places of samples and of the requested sites. Reference genotypes are not stored: they are unknown. */
  genotypes: Genotypes;
}

/** How two samples look at the sites at which the genotypes of both are known. */
export interface Likeness {
  sites: number;
  /** Sites at which both have the same genotype (IBS2). */
  same: number;
  /** Sites at which both are heterozygous. */
  bothHeterozygous: number;
  /** Sites at which they share no allele (IBS0): the first is homozygous for the reference and the second for the alternate. */
  referenceAgainstAlternate: number;
  /** The same the other way round. */
  alternateAgainstReference: number;
}

export class Genotypes {
  readonly samples: number;
  readonly sites: number;
  readonly #words: number;
  /** By sample: a bit for each site. */
  readonly #reference: Uint32Array;
  readonly #heterozygous: Uint32Array;
  readonly #homozygous: Uint32Array;

  constructor(samples: number, sites: number) {
    this.samples = samples;
    this.sites = sites;
    this.#words = Math.ceil(sites / 32);
    const size = samples * this.#words;
    this.#reference = new Uint32Array(size);
    this.#heterozygous = new Uint32Array(size);
    this.#homozygous = new Uint32Array(size);
  }

  /** Sets a genotype by its alternate alleles: 0, 1, or 2 and more; once for each sample and site. */
  set(sample: number, site: number, copies: number): void {
    const plane = copies === 0 ? this.#reference : copies === 1 ? this.#heterozygous : this.#homozygous;
    const at = sample * this.#words + (site >>> 5);
    plane[at] = (plane[at] ?? 0) | (1 << (site & 31));
  }

  /** The alternate alleles of a sample at a site: 0, 1 or 2; undefined if unknown. */
  at(sample: number, site: number): 0 | 1 | 2 | undefined {
    const at = sample * this.#words + (site >>> 5);
    const bit = 1 << (site & 31);
    if ((this.#reference[at] ?? 0) & bit) return 0;
    if ((this.#heterozygous[at] ?? 0) & bit) return 1;
    return (this.#homozygous[at] ?? 0) & bit ? 2 : undefined;
  }

  /** At how many sites a sample has which genotype. */
  counts(sample: number): { reference: number; heterozygous: number; homozygous: number } {
    const counts = { reference: 0, heterozygous: 0, homozygous: 0 };
    for (let at = sample * this.#words; at < (sample + 1) * this.#words; at++) {
      counts.reference += ones(this.#reference[at] ?? 0);
      counts.heterozygous += ones(this.#heterozygous[at] ?? 0);
      counts.homozygous += ones(this.#homozygous[at] ?? 0);
    }
    return counts;
  }

  /** Compares a sample with one of `others`, whose sites must be the same. */
  likeness(sample: number, others: Genotypes, other: number): Likeness {
    const words = this.#words;
    let [sites, same, bothHeterozygous, referenceAgainstAlternate, alternateAgainstReference] = [0, 0, 0, 0, 0];
    for (let i = 0; i < words; i++) {
      const [here, there] = [sample * words + i, other * words + i];
      const reference = this.#reference[here] as number;
      const heterozygous = this.#heterozygous[here] as number;
      const homozygous = this.#homozygous[here] as number;
      const otherReference = others.#reference[there] as number;
      const otherHeterozygous = others.#heterozygous[there] as number;
      const otherHomozygous = others.#homozygous[there] as number;
      const known = (reference | heterozygous | homozygous) & (otherReference | otherHeterozygous | otherHomozygous);
      if (known === 0) continue;
      const bothHere = ones(heterozygous & otherHeterozygous);
      sites += ones(known);
      same += bothHere + ones((reference & otherReference) | (homozygous & otherHomozygous));
      bothHeterozygous += bothHere;
      referenceAgainstAlternate += ones(reference & otherHomozygous);
      alternateAgainstReference += ones(homozygous & otherReference);
    }
    return { sites, same, bothHeterozygous, referenceAgainstAlternate, alternateAgainstReference };
  }
}

/** The number of bits of a 32-bit word that are set. */
function ones(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * The up to `most` sites whose alternate alleles are nearest to half of all alleles of so many samples, by their places in
 * `calls`, ascending; of equally near ones the first. A site without calls is no evidence.
 */
export function mostTelling(calls: readonly number[], samples: number, most: number): number[] {
  const distance = (site: number) => Math.abs((calls[site] ?? 0) - samples);
  return calls
    .flatMap((count, site) => (count > 0 ? [site] : []))
    .sort((one, other) => distance(one) - distance(other) || one - other)
    .slice(0, most)
    .sort((one, other) => one - other);
}

/** 31 bits, by which sites are chosen evenly and in any order. */
export function hashOfNumber(key: number): number {
  let h = Math.imul((key % 2 ** 31) ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(Math.floor(key / 2 ** 31) + 1, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 15), 0x27d4eb2f);
  h = Math.imul(h ^ (h >>> 13), 0x165667b1);
  return (h ^ (h >>> 16)) & 0x7fffffff;
}
