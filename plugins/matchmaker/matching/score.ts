/**
 * The score of two profiles and its parts. The index must give the same numbers.
 *
 * Both parts measure how much two patients share in proportion to what each of them has: the phenotypes by Tversky's ratio
 * on the information of their terms (profile.ts), the genotypes by Ochiai's on their genomic features (genotype.ts).
 */
import { genotypeSimilarity } from './genotype.js';
import type { Information, Profile } from './profile.js';
import { countOf, pairDisorders } from './relatives.js';
import type { Work } from './work.js';

/** The score of a similarity of 1: MAX_GT_SCORE and MAX_PHENO_SCORE. */
export interface ScoreWeights {
  genotype: number;
  phenotype: number;
}

export interface Score {
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
export function scoreOf(genotype: number, phenotype: number, weights: ScoreWeights): Score {
  const parts = { genotype: weights.genotype * genotype, phenotype: weights.phenotype * phenotype };
  return { total: parts.genotype + parts.phenotype, ...parts };
}

/** Compares two profiles; `information` is that of their profiler. The score of different species is 0. */
export function compare(
  query: Profile,
  other: Profile,
  information: Information,
  weights: ScoreWeights,
  work?: Work,
): Score {
  if (query.species !== other.species) return scoreOf(0, 0, weights);
  const terms = termSimilarity(sharedMass(query, other, information), query.mass, other.mass);
  const disorders = countOf(query, pairDisorders(query, other));
  const genotype = genotypeSimilarity(query.genomic, other.genomic, work);
  return scoreOf(genotype, phenotypeSimilarity(terms, disorders), weights);
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
