/** Patients that share a gene, a position or a disorder with a query. */
import type { Profile } from './profile.js';
import type { Kinds, Searched } from './searched.js';
import type { Work } from './work.js';
import { isRelative, type Workspace } from './workspace.js';

/** By position among the patients met. */
export interface Relatives {
  genotypes: readonly number[];
  /** How many disorders each of them shares. */
  disorders: readonly number[];
}

/** Visiting one of them, in steps of `Work`. */
const visiting = 10;

/** Meets them, before any other patient. Genotypes that were compared before are given by slot. */
export async function relativesOf(
  query: Profile,
  index: Searched,
  species: Kinds | undefined,
  space: Workspace,
  work: Work,
  known: ReadonlyMap<number, number>,
): Promise<Relatives> {
  const { met, flags } = space;
  const genotypes: number[] = [];
  const disorders: number[] = [];
  const take = (slot: number, genotype: number, shared: number) => {
    flags[slot] = isRelative;
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
      if (flags[slot] === isRelative || !index.isComparable(slot, species)) continue;
      take(slot, known.get(slot) ?? index.genotype(genomic, slot, by, work), 0);
    }
  }
  if (query.disorders.length === 0) return { genotypes, disorders };
  const positions = new Map(genotypes.map((_, at) => [met[at] as number, at]));
  for (const disorder of query.disorders) {
    for (const slot of index.slotsByDisorder.values(disorder)) {
      work.spend(visiting);
      const turn = work.turn();
      if (turn) await turn;
      if (!index.isComparable(slot, species)) continue;
      const at = positions.get(slot);
      if (at === undefined) {
        positions.set(slot, space.count);
        take(slot, 0, 1);
      } else disorders[at] = (disorders[at] as number) + 1;
    }
  }
  return { genotypes, disorders };
}
