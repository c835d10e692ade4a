/** The score of two profiles and its parts. The index must give the same numbers. */
import { genotypeSimilarity } from './genotype.js';
import type { Profile } from './profile.js';
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
 * simGIC (Pesquita 2008): the information of the shared terms divided by that of all terms of both. Masses are whole numbers
 * (profile.ts), so that the result is exactly 1 if both have the same terms. 0 if they share none.
 */
export function simGic(shared: number, query: number, other: number): number {
  return shared === 0 ? 0 : shared / (query + other - shared);
}

/** Each shared disorder halves the distance to 1: a further one never lowers the similarity. */
export function phenotypeSimilarity(simgic: number, sharedDisorders: number): number {
  return sharedDisorders === 0 ? simgic : Math.min(1, simgic + (1 - simgic) * (1 - 0.5 ** sharedDisorders));
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
  information: Float64Array,
  weights: ScoreWeights,
  work?: Work,
): Score {
  if (query.species !== other.species) return scoreOf(0, 0, weights);
  const simgic = simGic(sharedMass(query.terms, other.terms, information), query.mass, other.mass);
  const disorders = query.disorders.filter((key) => other.disorders.includes(key)).length;
  const genotype = genotypeSimilarity(query.genomic, other.genomic, work);
  return scoreOf(genotype, phenotypeSimilarity(simgic, disorders), weights);
}

/** Both ascending. */
function sharedMass(one: Uint32Array, other: Uint32Array, information: Float64Array): number {
  let mass = 0;
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    const [left, right] = [one[i] as number, other[j] as number];
    if (left === right) mass += information[left] as number;
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return mass;
}
