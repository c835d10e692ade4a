/** Similarity of genomic features, each paired with at most one of the other patient by the optimal assignment. */
import { areAdjacent } from './profile.js';
import type { Work } from './work.js';

// Similarity of genomic features. What two features have in common counts in sixteenths of an identical variant:
//
// | in common | sixteenths |
// | --- | --- |
// | the variant: start and alleles (or class and length) are equal in one build | 16 |
// | else the variant, with starts that differ by one base | 15 |
// | else the gene | 4 |
// | else, with or without the gene, the start | 4 |
// | and, with either of these, the zygosity | 1 |
// | and, with either of these, the effect | 1 |
//
// Variants that are missing or incompletely described are never the same. All features have the same weight; each
// feature of either patient is used at most once, by the optimal assignment.
//
// The sum is divided by the geometric mean of the numbers of features of both (Ochiai 1957, doi:10.2331/suisan.22.526; the
// cosine of two sets), which is 1 for a patient and itself. The longer two lists of candidate genes are, the more likely
// they are to share a gene by chance: dividing by the length would be right if each gene of a list were equally likely to
// be the cause, not dividing if the list surely contained it. The root is half way in between, with and without phenotype
// terms (core/decisions/0030-lists-of-genes.md).

/** Keys are equal if what they stand for is; missing ones equal nothing. */
export interface ComparedFeature {
  gene?: number | string | undefined;
  places: readonly ComparedPlace[];
  zygosity?: number | undefined;
  effect?: number | string | undefined;
}

export interface ComparedPlace {
  locus: number;
  change?: number | string | undefined;
}

export type FeatureLikeness =
  /** The same variant. */
  | 'same'
  /** The same, with starts that differ by one base. */
  | 'off-by-one'
  /** Another variant, or one that is incompletely described, at the same start. */
  | 'position'
  | 'gene'
  | 'none';

/** What an identical variant counts. */
export const whole = 16;

interface FeatureComparison {
  likeness: FeatureLikeness;
  /** 0 … whole. */
  sixteenths: number;
}

const sameVariant: FeatureComparison = { likeness: 'same', sixteenths: whole };
/** Many clients count from one: it may be the same variant, and ranks below one that certainly is. */
const offByOneVariant: FeatureComparison = { likeness: 'off-by-one', sixteenths: 15 };
const nothingInCommon: FeatureComparison = { likeness: 'none', sixteenths: 0 };
/** By what two features with different variants have in common: gene 8, position 4, zygosity 2, effect 1. */
const byCommonParts = Array.from({ length: 16 }, (_, common): FeatureComparison => {
  const [gene, position, zygosity, effect] = [8, 4, 2, 1].map((bit) => (common & bit) !== 0);
  if (!gene && !position) return nothingInCommon;
  const sixteenths = (gene ? 4 : 0) + (position ? 4 : 0) + (zygosity ? 1 : 0) + (effect ? 1 : 0);
  return { likeness: position ? 'position' : 'gene', sixteenths };
});

export function compareFeatures(query: ComparedFeature, other: ComparedFeature): FeatureComparison {
  let isOffByOne = false;
  let isAtPosition = false;
  for (const mine of query.places) {
    for (const theirs of other.places) {
      const isAlike = mine.change !== undefined && mine.change === theirs.change;
      if (mine.locus === theirs.locus) {
        if (isAlike) return sameVariant;
        isAtPosition = true;
      } else if (isAlike && areAdjacent(mine.locus, theirs.locus)) {
        isOffByOne = true;
      }
    }
  }
  if (isOffByOne) return offByOneVariant;
  const gene = query.gene !== undefined && query.gene === other.gene ? 8 : 0;
  const position = isAtPosition ? 4 : 0;
  const zygosity = query.zygosity !== undefined && query.zygosity === other.zygosity ? 2 : 0;
  const effect = query.effect !== undefined && query.effect === other.effect ? 1 : 0;
  return byCommonParts[gene + position + zygosity + effect] as FeatureComparison;
}

/** What two features with the same gene count that have no place in common, with or without the same zygosity and effect. */
export function likenessOfGenes(hasZygosity: boolean, hasEffect: boolean): number {
  return (byCommonParts[8 + (hasZygosity ? 2 : 0) + (hasEffect ? 1 : 0)] as FeatureComparison).sixteenths;
}

interface FeaturePair extends FeatureComparison {
  /** Positions in the lists that were compared. */
  query: number;
  other: number;
}

/** The pairs of the optimal assignment, in the order of the query. Of equal assignments, the one with most identical variants. */
export function pairFeatures(
  query: readonly ComparedFeature[],
  others: readonly ComparedFeature[],
  work?: Work,
): FeaturePair[] {
  const columns = others.length;
  work?.spend(query.length * columns);
  const [only, other] = [query[0], others[0]];
  if (only && other && query.length * columns === 1) {
    const compared = compareFeatures(only, other);
    return compared.sixteenths === 0 ? [] : [{ query: 0, other: 0, ...compared }];
  }
  // All bonuses together are less than one sixteenth.
  const scale = query.length + 1;
  const gains = new Int32Array(query.length * columns);
  query.forEach((mine, row) => {
    others.forEach((theirs, column) => {
      const { likeness, sixteenths } = compareFeatures(mine, theirs);
      gains[row * columns + column] = sixteenths * scale + (likeness === 'same' ? 1 : 0);
    });
  });
  const pairs: FeaturePair[] = [];
  for (const [row, column] of bestAssignment(gains, columns, work).entries()) {
    const [mine, theirs] = [query[row], others[column]];
    if (mine && theirs) pairs.push({ query: row, other: column, ...compareFeatures(mine, theirs) });
  }
  return pairs;
}

/** 0 … 1: the sum over the optimal assignment in proportion to the lengths of the lists; see above. */
export function genotypeSimilarity(
  query: readonly ComparedFeature[],
  others: readonly ComparedFeature[],
  work?: Work,
): number {
  if (query.length === 0 || others.length === 0) return 0;
  return similarityOfGenotypes(sumOfPairs(query, others, work), query.length, others.length);
}

/** The similarity of so many features of each, which have so many sixteenths in common. */
export function similarityOfGenotypes(sixteenths: number, query: number, others: number): number {
  return sixteenths / (whole * Math.sqrt(query * others));
}

/** What the pairs of the optimal assignment count together: often there are one or two features, and no need to assign. */
function sumOfPairs(query: readonly ComparedFeature[], others: readonly ComparedFeature[], work?: Work): number {
  const [few, many] = query.length <= others.length ? [query, others] : [others, query];
  const [one, two] = few;
  if (one === undefined || few.length > 2) {
    return pairFeatures(query, others, work).reduce((sum, { sixteenths }) => sum + sixteenths, 0);
  }
  work?.spend(few.length * many.length);
  let best = 0;
  if (two === undefined) {
    for (const other of many) best = Math.max(best, compareFeatures(one, other).sixteenths);
    return best;
  }
  // The two best partners of the second, for the first may have the best one.
  let [first, second, partner] = [0, 0, -1];
  for (const [i, other] of many.entries()) {
    const { sixteenths } = compareFeatures(two, other);
    if (sixteenths > first) [first, second, partner] = [sixteenths, first, i];
    else if (sixteenths > second) second = sixteenths;
  }
  for (const [i, other] of many.entries()) {
    best = Math.max(best, compareFeatures(one, other).sixteenths + (i === partner ? second : first));
  }
  return best;
}

// The optimal assignment by the Hungarian method with potentials (Kuhn 1955; O(rows² · columns)).

/** Greater than any difference of gains. */
const endless = 2 ** 30;

/**
 * Assigns rows to columns, each at most once, so that the sum of the gains is greatest. Gains are whole numbers from 0 to
 * 2²⁸, row after row. Returns the column of each row, −1 if it has none. Deterministic if several assignments are optimal.
 *
 * With r rows and c columns that have any gain, and r ≤ c, it visits c · r · (r + 1) / 2 cells at most, and c · r if all
 * gains are equal: of columns with the same cost it prefers an unassigned one.
 */
export function bestAssignment(gains: Int32Array, columns: number, work?: Work): Int32Array {
  const rows = columns === 0 ? 0 : gains.length / columns;
  const gain = (row: number, column: number) => gains[row * columns + column] as number;
  const all = (count: number) => Array.from({ length: count }, (_, i) => i);
  const usedColumns = all(columns).filter((column) => all(rows).some((row) => gain(row, column) > 0));
  const usedRows = all(rows).filter((row) => usedColumns.some((column) => gain(row, column) > 0));
  const found = new Int32Array(rows).fill(-1);
  const isWide = usedRows.length <= usedColumns.length;
  const [few, many] = isWide ? [usedRows, usedColumns] : [usedColumns, usedRows];
  const costs = new Int32Array(few.length * many.length);
  few.forEach((one, i) => {
    many.forEach((other, j) => {
      costs[i * many.length + j] = -(isWide ? gain(one, other) : gain(other, one));
    });
  });
  cheapest(costs, few.length, many.length, work).forEach((j, i) => {
    const [one, other] = [few[i] as number, many[j] as number];
    const [row, column] = isWide ? [one, other] : [other, one];
    if (gain(row, column) > 0) found[row] = column;
  });
  return found;
}

/** The column of each row. There must not be more rows than columns. */
function cheapest(costs: Int32Array, rows: number, columns: number, work: Work | undefined): Int32Array {
  const rowPotential = new Int32Array(rows + 1);
  const columnPotential = new Int32Array(columns + 1);
  const rowOf = new Int32Array(columns + 1); // rows and columns count from 1; 0 means unassigned
  const slack = new Int32Array(columns + 1);
  const before = new Int32Array(columns + 1);
  const visited = new Uint8Array(columns + 1);
  for (let row = 1; row <= rows; row++) {
    slack.fill(endless);
    visited.fill(0);
    rowOf[0] = row;
    let column = 0;
    do {
      work?.spend(columns);
      visited[column] = 1;
      const current = rowOf[column] as number;
      const base = (current - 1) * columns - 1;
      const potential = rowPotential[current] as number;
      let least = endless;
      let next = 0;
      for (let other = 1; other <= columns; other++) {
        if (visited[other] === 1) continue;
        const reduced = (costs[base + other] as number) - potential - (columnPotential[other] as number);
        if (reduced < (slack[other] as number)) {
          slack[other] = reduced;
          before[other] = column;
        }
        const here = slack[other] as number;
        if (here < least || (here === least && rowOf[other] === 0 && rowOf[next] !== 0)) {
          least = here;
          next = other;
        }
      }
      for (let other = 0; other <= columns; other++) {
        if (visited[other] === 1) {
          const taker = rowOf[other] as number;
          rowPotential[taker] = (rowPotential[taker] as number) + least;
          columnPotential[other] = (columnPotential[other] as number) - least;
        } else {
          slack[other] = (slack[other] as number) - least;
        }
      }
      column = next;
    } while (rowOf[column] !== 0);
    while (column !== 0) {
      const earlier = before[column] as number;
      rowOf[column] = rowOf[earlier] as number;
      column = earlier;
    }
  }
  const found = new Int32Array(rows);
  for (let column = 1; column <= columns; column++) {
    const row = (rowOf[column] as number) - 1;
    if (row >= 0) found[row] = column - 1;
  }
  return found;
}
