/** The score of two profiles, and the order of an answer: the best patients, some places kept for those that share a gene. */
import { genotypeSimilarity } from './genotype.js';
import type { Information, Profile } from './profile.js';
import { countOfPairs, pairDisorders } from './relatives.js';
import type { Work } from './work.js';

// The score of two profiles and its parts. The index must give the same numbers.
//
// Both parts measure how much two patients share in proportion to what each of them has: the phenotypes by Tversky's ratio
// on the information of their terms (profile.ts), the genotypes by Ochiai's on their genomic features (genotype.ts).

/** The score of a similarity of 1: MAX_GT_SCORE and MAX_PHENO_SCORE. */
export interface ScoreWeights {
  genotype: number;
  phenotype: number;
}

export interface MatchScore {
  /** genotype + phenotype. */
  total: number;
  genotype: number;
  phenotype: number;
}

/**
 * What information that only one of two patients has weighs, if information that both have weighs 1. With 1 the ratio
 * would be simGIC, whose order of patients is the same; but a similarity of 0.1 is much stronger evidence than none, while
 * 0.9 is hardly more than 0.8, and a gene must be weighed against that. At 0.08, half of the greatest similarity is
 * reached by a simGIC of 0.08, which pairs of published patients with one disorder and pairs with different ones have
 * equally often.
 */
export const unsharedWeight = 0.08;

/**
 * Tversky's ratio (1977, doi:10.1037/0033-295X.84.4.327) of information. Masses are whole numbers (profile.ts), so that the
 * result is exactly 1 if both have the same terms; 0 if they share none. Each operation is monotone in `shared`, also in how
 * it rounds; an upper bound of `shared` may exceed what is possible.
 */
export function termSimilarity(shared: number, query: number, other: number): number {
  return shared === 0 ? 0 : 1 / (1 + unsharedWeight * (Math.max(0, query + other - 2 * shared) / shared));
}

/**
 * What two patients that have at least `all` of this information together must share to be so similar, or a little less:
 * if they share less, `termSimilarity` is lower, however its operations round.
 */
export function sharedFor(similarity: number, all: number): number {
  if (similarity <= 0) return 0;
  const ratio = (1 / similarity - 1) / unsharedWeight;
  return ratio < 0 ? Infinity : (all / (1 + ratio)) * (1 - 1e-9);
}

/** simGIC (Pesquita 2008, doi:10.1186/1471-2105-9-S5-S4): shared information of terms themselves, divided by that of all. */
export function simGic(query: Profile, other: Profile, information: (term: number) => number): number {
  const theirs = new Set(other.terms);
  let [shared, all] = [0, 0];
  for (const term of query.terms) {
    if (theirs.has(term)) shared += information(term);
    else all += information(term);
  }
  for (const term of other.terms) all += information(term);
  return all === 0 ? 0 : shared / all;
}

/** Each shared disorder halves the distance to 1, and one a step apart counts ½: a further one never lowers the similarity. */
export function phenotypeSimilarity(terms: number, sharedDisorders: number): number {
  return sharedDisorders === 0 ? terms : Math.min(1, terms + (1 - terms) * (1 - 0.5 ** sharedDisorders));
}

/** A part that the query lacks has the similarity 0. Monotone in both similarities. */
export function weightedScore(genotype: number, phenotype: number, weights: ScoreWeights): MatchScore {
  const parts = { genotype: weights.genotype * genotype, phenotype: weights.phenotype * phenotype };
  return { total: parts.genotype + parts.phenotype, ...parts };
}

/** Compares two profiles; `information` is that of their profiler. The score of different species is 0. */
export function compareProfiles(
  query: Profile,
  other: Profile,
  information: Information,
  weights: ScoreWeights,
  work?: Work,
): MatchScore {
  if (query.species !== other.species) return weightedScore(0, 0, weights);
  const terms = termSimilarity(sharedMass(query, other, information), query.mass, other.mass);
  const disorders = countOfPairs(query, pairDisorders(query, other));
  const genotype = genotypeSimilarity(query.genomic, other.genomic, work);
  return weightedScore(genotype, phenotypeSimilarity(terms, disorders), weights);
}

/**
 * The information that both have: what their common terms add, and of each term that one of them states and the other has,
 * stated or as an ancestor, a half. With all terms in common it is the mass of each.
 */
export function sharedMass(query: Profile, other: Profile, { added, stated }: Information): number {
  return (
    sharedSum(query.terms, other.terms, added) +
    sharedSum(query.stated, other.terms, stated) +
    sharedSum(query.terms, other.stated, stated)
  );
}

/** Both ascending. */
function sharedSum(one: Uint32Array, other: Uint32Array, weights: Float64Array): number {
  let sum = 0;
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    const [left, right] = [one[i] as number, other[j] as number];
    if (left === right) sum += weights[left] as number;
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return sum;
}

// The best items, and the greatest numbers, of many that are offered one by one.

export interface RankedPatient {
  id: string;
  score: MatchScore;
}

/** Best score first; equal scores by id, in the order of the bytes of UTF-8. */
export function byRank(one: RankedPatient, other: RankedPatient): number {
  return other.score.total - one.score.total || Buffer.compare(Buffer.from(one.id), Buffer.from(other.id));
}

/** Keeps the first `limit` (at least 1) of the offered items by rank. */
export class Best<Item extends RankedPatient> {
  /** By rank. */
  readonly items: Item[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(item: Item): void {
    const { items } = this;
    const last = items[this.#limit - 1];
    if (last && byRank(last, item) <= 0) return;
    let [low, high] = [0, items.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (byRank(items[middle] as Item, item) <= 0) low = middle + 1;
      else high = middle;
    }
    items.splice(low, 0, item);
    if (items.length > this.#limit) items.pop();
  }
}

/** Keeps the `count` greatest of the offered numbers, and whose they are: a heap with the least of them on top. */
export class Greatest {
  readonly #heap: Float64Array;
  readonly #items: Uint32Array;
  #size = 0;

  constructor(count: number) {
    this.#heap = new Float64Array(count);
    this.#items = new Uint32Array(count);
  }

  /** The least number kept; −∞ while fewer than `count` were offered. */
  get least(): number {
    return this.#size < this.#heap.length ? -Infinity : (this.#heap[0] as number);
  }

  /** Whose numbers are kept, in any order. */
  get items(): Uint32Array {
    return this.#items.subarray(0, this.#size);
  }

  offer(value: number, item = 0): void {
    const [heap, items] = [this.#heap, this.#items];
    let at = 0;
    if (this.#size < heap.length) {
      at = this.#size++;
      for (let parent = (at - 1) >> 1; at > 0 && (heap[parent] as number) > value; parent = (at - 1) >> 1) {
        heap[at] = heap[parent] as number;
        items[at] = items[parent] as number;
        at = parent;
      }
    } else if (value > (heap[0] as number)) {
      for (let child = 1; child < heap.length; child = 2 * at + 1) {
        if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) child++;
        if ((heap[child] as number) >= value) break;
        heap[at] = heap[child] as number;
        items[at] = items[child] as number;
        at = child;
      }
    } else return;
    heap[at] = value;
    items[at] = item;
  }
}

// Gene first: some places of an answer go to patients that share a gene with the query, so that phenotypes that are alike by
// chance do not crowd out the only patient with the candidate gene.
//
// The best patients that share a gene, one for each place, are in the answer; the other places are filled by rank. A patient
// that has a place and ranks behind one that was left out is raised to the score of the best patient left out: no patient
// of the answer is then less similar than one outside. Raised patients keep their rank among themselves.

export interface SharedGenePlaces {
  /** Patients in the answer, at most. */
  limit: number;
  /** Places of them that go to patients that share a gene first. */
  places: number;
}

export interface PlacedItem<Item extends RankedPatient> {
  item: Item;
  /** The score to which its place raises the patient; undefined if it would be in the answer without. */
  raised: number | undefined;
}

/** Genes that a larger part of the stored patients list, and longer lists of genes, say too little of those who share one. */
export const [mostListed, longestList] = [0.01, 10];

/** How many places a share of the answer is. Products that are whole but for rounding count as whole. */
export function genePlaces(limit: number, share: number): number {
  return Math.floor(limit * share + 1e-9);
}

/** The answer, best first. The items must contain the `limit` best of all, and the `places` best that share a gene. */
export function geneFirst<Item extends RankedPatient>(
  items: readonly Item[],
  { limit, places }: SharedGenePlaces,
  shares: (item: Item) => boolean,
): PlacedItem<Item>[] {
  const ranked = items.toSorted(byRank);
  const placed = new Set(ranked.filter(shares).slice(0, Math.min(places, limit)));
  let free = limit - placed.size;
  const cut = ranked.findIndex((item) => !placed.has(item) && free-- === 0);
  const leftOut = ranked[cut];
  if (leftOut === undefined) return ranked.map((item) => ({ item, raised: undefined }));
  return [
    ...ranked.slice(0, cut).map((item) => ({ item, raised: undefined })),
    ...ranked
      .slice(cut)
      .filter((item) => placed.has(item))
      .map((item) => ({ item, raised: leftOut.score.total })),
  ];
}

/** The genes of a patient, each once. */
export function genesOfProfile({ genomic }: Pick<Profile, 'genomic'>): Set<number | string> {
  return new Set(genomic.flatMap(({ gene = [] }) => gene));
}

/** Whether the patients have a gene in common. Their profiles must be made by one profiler. */
export function haveCommonGene(one: Pick<Profile, 'genomic'>, other: Pick<Profile, 'genomic'>): boolean {
  const genes = genesOfProfile(one);
  return other.genomic.some(({ gene }) => gene !== undefined && genes.has(gene));
}
