/** Patients that share a gene, a position or a disorder with a query. */
import type { Profile } from './profile.js';
import type { Kinds, Searched } from './searched.js';
import type { Work } from './work.js';
import { isRelative, sharesGene, type Workspace } from './workspace.js';

/** By position among the patients met. */
export interface Relatives {
  genotypes: readonly number[];
  /** How many disorders each of them shares; those that are a step apart count ½. */
  disorders: readonly number[];
}

/** Visiting one of them, in steps of `Work`. */
const visiting = 10;

/**
 * Meets them, before any other patient, and flags those that share a gene. Genotypes that were compared before are given by
 * slot.
 */
export async function relativesOf(
  query: Profile,
  index: Searched,
  kinds: Kinds | undefined,
  space: Workspace,
  work: Work,
  known: ReadonlyMap<number, number>,
): Promise<Relatives> {
  const { met, flags } = space;
  const genotypes: number[] = [];
  const disorders: number[] = [];
  const take = (slot: number, genotype: number, shared: number) => {
    flags[slot] = (flags[slot] as number) | isRelative;
    met[space.count++] = slot;
    genotypes.push(genotype);
    disorders.push(shared);
  };
  const genomic = index.translated(query);
  // Those that share a place first: all others share a gene at most.
  for (const by of ['place', 'gene'] as const) {
    for (const slot of index.candidates(genomic, by)) {
      work.spend(visiting);
      const turn = work.turn();
      if (turn) await turn;
      if (!index.isComparable(slot, kinds)) continue;
      const flag = flags[slot] as number;
      if (by === 'gene') flags[slot] = flag | sharesGene;
      if ((flag & isRelative) === 0) take(slot, known.get(slot) ?? index.genotype(genomic, slot, by, work), 0);
    }
  }
  if (query.disorders.length === 0) return { genotypes, disorders };
  const positions = new Map(genotypes.map((_, at) => [met[at] as number, at]));
  const own = new Set(query.disorders);
  const pairs = new Map<number, DisorderPair[]>();
  for (const [i, disorder] of query.disorders.entries()) {
    for (const disease of [disorder, ...(query.nearDisorders[i] ?? [])]) {
      work.spend(1);
      if (disease !== disorder && own.has(disease)) continue;
      for (const slot of index.slotsByDisorder.values(disease)) {
        work.spend(visiting);
        const turn = work.turn();
        if (turn) await turn;
        if (!index.isComparable(slot, kinds)) continue;
        const at = positions.get(slot) ?? space.count;
        if (at === space.count) {
          positions.set(slot, at);
          take(slot, 0, 0);
        }
        const known = pairs.get(at);
        if (known) known.push([i, disease]);
        else pairs.set(at, [[i, disease]]);
      }
    }
  }
  for (const [at, found] of pairs) {
    work.spend(found.length);
    const turn = work.turn();
    if (turn) await turn;
    disorders[at] = countOf(query, found);
  }
  return { genotypes, disorders };
}

/** A disorder of the query, by its position among `Profile.disorders`, and one of the other patient, by its disease. */
export type DisorderPair = readonly [query: number, other: number];

type Disorders = Pick<Profile, 'disorders' | 'nearDisorders'>;

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
