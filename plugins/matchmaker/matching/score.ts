/** The score of two profiles, and of its parts. Whatever finds patients faster than this gives the same numbers. */
import { genotypeSimilarity } from './genotype.js';
import type { Profile } from './profile.js';
import type { Work } from './turns.js';

/** What a perfect likeness is worth: MAX_GT_SCORE and MAX_PHENO_SCORE. */
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
 * simGIC (Pesquita 2008): information of the shared terms as a part of that of all terms of both. The masses are whole
 * numbers (profile.ts), so that this is 1 exactly where both have the same terms. 0 where nothing is shared.
 */
export function simGic(shared: number, query: number, other: number): number {
  return shared === 0 ? 0 : shared / (query + other - shared);
}

/** Each shared disorder closes half of what is missing to 1: naming one more never lowers the similarity. */
export function phenotypeSimilarity(simgic: number, sharedDisorders: number): number {
  return sharedDisorders === 0 ? simgic : Math.min(1, simgic + (1 - simgic) * (1 - 0.5 ** sharedDisorders));
}

/** A part that the query lacks has the similarity 0 and adds nothing. Never falls where a similarity rises. */
export function scoreOf(genotype: number, phenotype: number, weights: ScoreWeights): Score {
  const parts = { genotype: weights.genotype * genotype, phenotype: weights.phenotype * phenotype };
  return { total: parts.genotype + parts.phenotype, ...parts };
}

/** Compares two profiles; `information` is that of their profiler. Those of two species are not alike at all. */
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
