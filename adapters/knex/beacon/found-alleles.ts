/** Gathers the alleles that a query finds, from the rows of any number of segments. */
import {
  Allowance,
  alleleKey,
  byAllele,
  type DatasetAlleles,
  type FoundAllele,
  widened,
} from '../../../plugins/beacon/contract.js';
import { carriersOfHit, type MatchedAlleles, numbersOfHit, type StoredHit } from './hits.js';

interface CollectedAllele {
  found: FoundAllele;
  /** Copies by name, if carriers are named. */
  copies: Map<string, number> | undefined;
}

interface AlleleGathering {
  limit: number;
  /** Whether to name the carriers. */
  carriers: boolean;
}

export class FoundAlleles {
  readonly #named: boolean;
  readonly #alleles: Allowance;
  readonly #carriers: Allowance;
  readonly #datasets = new Map<string, Map<string, CollectedAllele>>();

  constructor({ limit, carriers }: AlleleGathering) {
    this.#named = carriers;
    this.#alleles = new Allowance(limit, 'alleles');
    this.#carriers = new Allowance(carriers ? limit : undefined);
  }

  add(match: MatchedAlleles): void {
    for (const hit of match.hits) {
      const { found, copies } = this.#gathered(hit);
      if (copies) this.#addCarriers(found, copies, hit, match);
      else {
        const { calls, carriers } = numbersOfHit(hit, match.columns);
        found.calls += calls;
        found.samples += carriers;
      }
    }
  }

  #gathered({ allele, dataset }: StoredHit): CollectedAllele {
    const alleles = this.#datasets.get(dataset) ?? new Map<string, CollectedAllele>();
    this.#datasets.set(dataset, alleles);
    const key = alleleKey(allele);
    const known = alleles.get(key);
    if (known) {
      known.found = widened(known.found, allele);
      return known;
    }
    this.#alleles.take(allele, 1);
    // The hit's own object: to copy thousands takes as long as to find them.
    const found = Object.assign(allele, { calls: 0, samples: 0 });
    const gathered = { found, copies: this.#named ? new Map<string, number>() : undefined };
    alleles.set(key, gathered);
    return gathered;
  }

  #addCarriers(
    found: FoundAllele,
    copies: Map<string, number>,
    hit: StoredHit,
    { columns, segments }: MatchedAlleles,
  ): void {
    for (const [name, more] of carriersOfHit(hit, columns, segments)) {
      const known = copies.get(name) ?? 0;
      if (more <= known) continue;
      copies.set(name, more);
      found.calls += more - known;
    }
    this.#carriers.take(found, copies.size - found.samples);
    found.samples = copies.size;
  }

  /** By id, each with its alleles in order. */
  byDataset(): DatasetAlleles[] {
    return [...this.#datasets.keys()].sort().map((dataset) => ({
      dataset,
      alleles: [...(this.#datasets.get(dataset)?.values() ?? [])].map((each) => this.#found(each)).sort(byAllele),
    }));
  }

  #found({ found, copies }: CollectedAllele): FoundAllele {
    if (!copies) return found;
    const names = [...copies.keys()].sort();
    return { ...found, named: names.map((name) => [name, copies.get(name) ?? 0] as const) };
  }
}
