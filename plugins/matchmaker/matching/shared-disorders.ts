/** Which disorders two patients share: the same disease counts 1, one that is a step broader or narrower ½. */
import type { Profile } from './profile.js';

/** A disorder of the query, by its position among `Profile.disorders`, and one of the other patient, by its disease. */
export type DisorderPair = readonly [query: number, other: number];

export type Disorders = Pick<Profile, 'disorders' | 'nearDisorders'>;

/** All pairs of disorders that are the same or one step apart. What the query has itself is no step apart from it. */
export function pairDisorders(query: Disorders, other: Disorders): DisorderPair[] {
  if (query.disorders.length === 0 || other.disorders.length === 0) return [];
  const [own, theirs] = [new Set(query.disorders), new Set(other.disorders)];
  return query.disorders.flatMap((disorder, i) => {
    const near = [...(query.nearDisorders[i] ?? [])].filter((disease) => theirs.has(disease) && !own.has(disease));
    return [...(theirs.has(disorder) ? [disorder] : []), ...near].map((disease): DisorderPair => [i, disease]);
  });
}

/**
 * The pairs that count, of all between two patients: those of the same disease, and of the others as many as possible, no
 * disorder twice. No other choice counts more, so that it is the same in both directions, and more disorders of either
 * patient never count less.
 */
export function countedPairs({ disorders }: Disorders, pairs: readonly DisorderPair[]): DisorderPair[] {
  const same = pairs.filter(([i, disease]) => disorders[i] === disease);
  if (same.length === pairs.length) return same;
  const isShared = new Set(same.map(([i]) => i));
  const near = new Map<number, number[]>();
  for (const [i, disease] of pairs) {
    if (!isShared.has(i)) near.set(i, [...(near.get(i) ?? []), disease]);
  }
  const taken = new Map<number, number>();
  // A matching of most pairs by augmenting paths.
  const take = (i: number, tried: Set<number>): boolean =>
    (near.get(i) ?? []).some((disease) => {
      if (tried.has(disease)) return false;
      tried.add(disease);
      const holder = taken.get(disease);
      if (holder !== undefined && !take(holder, tried)) return false;
      taken.set(disease, i);
      return true;
    });
  for (const i of near.keys()) take(i, new Set());
  return [...same, ...[...taken].map(([disease, i]): DisorderPair => [i, disease])];
}

/** How much the pairs count together. */
export function countOf(query: Disorders, pairs: readonly DisorderPair[]): number {
  return countedPairs(query, pairs).reduce((sum, [i, disease]) => sum + (query.disorders[i] === disease ? 1 : 0.5), 0);
}
