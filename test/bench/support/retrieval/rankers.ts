/** Formulas that give each stored patient a score: ours, ours of earlier versions, and those of others. */
import {
  type ComparedFeature,
  compareFeatures,
  genotypeSimilarity,
  pairFeatures,
  whole,
} from '../../../../plugins/matchmaker/matching/genotype.js';
import { weightedScore } from '../../../../plugins/matchmaker/matching/score.js';

/** A query and the stored patients, compared. Arrays are by stored patient. */
export interface Compared {
  /** simGIC on the information of the terms themselves. */
  simGic: Float64Array;
  /** The part of our information of both that both have. */
  ours: Float64Array;
  /** The share of the query's terms that the patient has as well, as seqr counts it. */
  exact: Float64Array;
  genomic: readonly ComparedFeature[];
  stored: readonly (readonly ComparedFeature[])[];
  /** Stored patients that share a gene with the query. */
  relatives: readonly number[];
  /** Whether the query or this stored patient has no terms. */
  isBare(at: number): boolean;
}

export type Ranker = (compared: Compared) => Float64Array;

const weights = { genotype: 0.75, phenotype: 0.25 };

/** The sum of a phenotype part for all and a genotype part for relatives. */
function added(
  phenotype: (at: number) => number,
  genotype: (theirs: readonly ComparedFeature[], compared: Compared, at: number) => number,
  compared: Compared,
): Float64Array {
  const scores = compared.simGic.map((_, at) => phenotype(at));
  for (const at of compared.relatives) {
    scores[at] = (scores[at] as number) + genotype(compared.stored[at] ?? [], compared, at);
  }
  return scores;
}

function ourGenotype(theirs: readonly ComparedFeature[], { genomic }: Compared): number {
  return weightedScore(genotypeSimilarity(genomic, theirs), 0, weights).genotype;
}

/** Without terms in one of the two, divided by the root of the longer list alone; beyond 1 it grows evenly to 1. */
export function byLongerList(theirs: readonly ComparedFeature[], compared: Compared, at: number): number {
  if (!compared.isBare(at)) return ourGenotype(theirs, compared);
  const longer = Math.max(theirs.length, compared.genomic.length);
  const root = Math.sqrt(longer);
  const sum = sixteenths(theirs, compared);
  return weights.genotype * ((sum <= 1 ? sum : 1 + ((root - 1) * (sum - 1)) / (longer - 1)) / root);
}

/** Our formula: Tversky's ratio with this weight of unshared information, as a function of the shared part of all. */
export function oursWith(unshared: number, genotype: typeof byLongerList = ourGenotype): Ranker {
  return (compared) =>
    added(
      (at) => {
        const share = compared.ours[at] as number;
        return share === 0 ? 0 : weights.phenotype / (1 + unshared * (1 / share - 1));
      },
      genotype,
      compared,
    );
}

function sixteenths(theirs: readonly ComparedFeature[], { genomic }: Compared): number {
  return pairFeatures(genomic, theirs).reduce((sum, pair) => sum + pair.sixteenths, 0) / whole;
}

/** Ours until 0.1, and the same with another way to count a list of genes; the phenotype part is simGIC. */
function onSimGic(genotype: (theirs: readonly ComparedFeature[], compared: Compared) => number): Ranker {
  return (compared) =>
    added(
      (at) => weights.phenotype * (compared.simGic[at] as number),
      (theirs) => weights.genotype * genotype(theirs, compared),
      compared,
    );
}

/** patientMatcher 4.6.1: the last feature that gives anything counts, and two missing variants are the same variant. */
function patientMatcher(theirs: readonly ComparedFeature[], { genomic }: Compared): number {
  let sum = 0;
  for (const mine of genomic) {
    let value = 0;
    for (const other of theirs) {
      const isSame = mine.places.length + other.places.length === 0 || compareFeatures(mine, other).likeness === 'same';
      if (isSame) value = 1;
      else if (mine.gene !== undefined && mine.gene === other.gene) value = 0.25;
    }
    sum += value;
  }
  return sum / genomic.length;
}

/** seqr: 0.7 for the gene of a feature, 0.15 each for the zygosity and the variant, averaged over the query. */
function seqrGenotype(theirs: readonly ComparedFeature[], { genomic }: Compared): number {
  const best = genomic.map((mine) =>
    Math.max(
      0,
      ...theirs.map((other) => {
        if (mine.gene === undefined || mine.gene !== other.gene) return 0;
        const zygosity = mine.zygosity === other.zygosity ? 0.15 : 0;
        return 0.7 + zygosity + (compareFeatures(mine, other).likeness === 'same' ? 0.15 : 0);
      }),
    ),
  );
  return best.reduce((sum, value) => sum + value, 0) / genomic.length;
}

/** So much less than any product that patients without a shared gene follow, by phenotype. */
const behind = 1e-6;

function product(phenotype: (compared: Compared, at: number) => number): Ranker {
  return (compared) => {
    const scores = compared.simGic.map((_, at) => {
      const value = phenotype(compared, at);
      return compared.genomic.length === 0 ? value : behind * value;
    });
    for (const at of compared.relatives) {
      const genotype = seqrGenotype(compared.stored[at] ?? [], compared);
      scores[at] = (scores[at] as number) + genotype * phenotype(compared, at);
    }
    return scores;
  };
}

export const others: Readonly<Record<string, Ranker>> = {
  'ours 0.1': onSimGic((theirs, compared) => sixteenths(theirs, compared) / compared.genomic.length),
  simGIC: ({ simGic }) => simGic,
  patientMatcher: onSimGic(patientMatcher),
  seqr: product(({ exact }, at) => exact[at] as number),
  'seqr × simGIC': product(({ simGic }, at) => simGic[at] as number),
  'gene / √n': onSimGic((theirs, compared) =>
    Math.min(1, sixteenths(theirs, compared) / Math.sqrt(compared.genomic.length)),
  ),
  'best gene': onSimGic(
    (theirs, { genomic }) => Math.max(0, ...pairFeatures(genomic, theirs).map(({ sixteenths }) => sixteenths)) / whole,
  ),
};
