/**
 * Gene first: some places of an answer go to patients that share a gene with the query, so that phenotypes that are alike by
 * chance do not crowd out the only patient with the candidate gene.
 *
 * The best patients that share a gene, one for each place, are in the answer; the other places are filled by rank. A patient
 * that has a place and ranks behind one that was left out is raised to the score of the best patient left out: no patient
 * of the answer is then less similar than one outside. Raised patients keep their rank among themselves.
 */
import { byRank, type Ranked } from './best.js';
import type { Profile } from './profile.js';

export interface Places {
  /** Patients in the answer, at most. */
  limit: number;
  /** Places of them that go to patients that share a gene first. */
  places: number;
}

export interface Answered<Item extends Ranked> {
  item: Item;
  /** The score to which its place raises the patient; undefined if it would be in the answer without. */
  raised: number | undefined;
}

/** Genes that a larger part of the stored patients list, and longer lists of genes, say too little of those who share one. */
export const [mostListed, longestList] = [0.01, 10];

/** How many places a share of the answer is. Products that are whole but for rounding count as whole. */
export function placesOf(limit: number, share: number): number {
  return Math.floor(limit * share + 1e-9);
}

/** The answer, best first. The items must contain the `limit` best of all, and the `places` best that share a gene. */
export function geneFirst<Item extends Ranked>(
  items: readonly Item[],
  { limit, places }: Places,
  shares: (item: Item) => boolean,
): Answered<Item>[] {
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
export function genesOf({ genomic }: Pick<Profile, 'genomic'>): Set<number | string> {
  return new Set(genomic.flatMap(({ gene = [] }) => gene));
}

/** Whether the patients have a gene in common. Their profiles must be made by one profiler. */
export function haveCommonGene(one: Pick<Profile, 'genomic'>, other: Pick<Profile, 'genomic'>): boolean {
  const genes = genesOf(one);
  return other.genomic.some(({ gene }) => gene !== undefined && genes.has(gene));
}
