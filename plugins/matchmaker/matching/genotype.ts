/**
 * Similarity of genomic features. What two features have in common counts in sixteenths of the same variant:
 *
 * | in common | sixteenths |
 * | --- | --- |
 * | the same variant: start and alleles (or class and length) agree in a build, or the starts are off by one | 16 |
 * | else the gene | 4 |
 * | else, with or without the gene, the start | 4 |
 * | and with either of them the zygosity | 1 |
 * | and with either of them the effect | 1 |
 *
 * Two variants that are missing, or that do not say what they are, are not the same variant. Every feature of the query
 * is worth as much as every other; each feature of either patient is used once, in the best way there is.
 */
import { bestAssignment } from './assignment.js';
import { adjacent } from './variant.js';

/** Keys of any kind that are equal where what they stand for is; absent ones equal nothing. */
export interface ComparedFeature {
  gene?: number | string;
  places: readonly { locus: number; change?: number | string }[];
  zygosity?: number;
  effect?: number | string;
}

export type Likeness =
  /** The same variant. */
  | 'same'
  /** The same but for starts that are one apart: many clients send one-based ones. */
  | 'off-by-one'
  /** Another variant, or one that is not fully known, at the same start. */
  | 'position'
  | 'gene'
  | 'none';

/** What the same variant counts. */
export const whole = 16;

export interface FeatureComparison {
  likeness: Likeness;
  /** 0 … whole. */
  sixteenths: number;
}

const nothing: FeatureComparison = { likeness: 'none', sixteenths: 0 };

export function compareFeatures(query: ComparedFeature, other: ComparedFeature): FeatureComparison {
  let offByOne = false;
  let position = false;
  for (const mine of query.places) {
    for (const theirs of other.places) {
      const alike = mine.change !== undefined && mine.change === theirs.change;
      if (mine.locus === theirs.locus) {
        if (alike) return { likeness: 'same', sixteenths: whole };
        position = true;
      } else if (alike && adjacent(mine.locus, theirs.locus)) {
        offByOne = true;
      }
    }
  }
  if (offByOne) return { likeness: 'off-by-one', sixteenths: whole };
  const gene = query.gene !== undefined && query.gene === other.gene;
  if (!gene && !position) return nothing;
  const zygosity = query.zygosity !== undefined && query.zygosity === other.zygosity;
  const effect = query.effect !== undefined && query.effect === other.effect;
  const sixteenths = (gene ? 4 : 0) + (position ? 4 : 0) + (zygosity ? 1 : 0) + (effect ? 1 : 0);
  return { likeness: position ? 'position' : 'gene', sixteenths };
}

export interface FeaturePair extends FeatureComparison {
  /** Positions in the lists that were compared. */
  query: number;
  other: number;
}

/** The pairs of the best assignment, by position in the query; of equally good ones that with the fewest off-by-ones. */
export function pairFeatures(query: readonly ComparedFeature[], others: readonly ComparedFeature[]): FeaturePair[] {
  const compared = query.map((mine) => others.map((theirs) => compareFeatures(mine, theirs)));
  // All bonuses together are less than one sixteenth.
  const scale = query.length + 1;
  const gains = compared.map((row) =>
    row.map(({ likeness, sixteenths }) => sixteenths * scale + (likeness === 'same' ? 1 : 0)),
  );
  return bestAssignment(gains).flatMap((other, mine) => {
    const comparison = compared[mine]?.[other];
    return comparison === undefined ? [] : [{ query: mine, other, ...comparison }];
  });
}

/** 0 … 1: the best assignment's share of what the query would have with itself if all its variants were described. */
export function genotypeSimilarity(query: readonly ComparedFeature[], others: readonly ComparedFeature[]): number {
  if (query.length === 0 || others.length === 0) return 0;
  if (query.length === 1 && query[0]) {
    let best = 0;
    for (const theirs of others) best = Math.max(best, compareFeatures(query[0], theirs).sixteenths);
    return best / whole;
  }
  const sum = pairFeatures(query, others).reduce((sixteenths, pair) => sixteenths + pair.sixteenths, 0);
  return sum / (whole * query.length);
}
