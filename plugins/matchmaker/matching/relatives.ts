/**
 * What a search reads of the index and notes of each slot, and the patients that share a gene, a position or a disorder with
 * the query.
 */
import type { GrowingArray, Multimap, SlotLists } from './columns.js';
import type { SharedPlace } from './features.js';
import type { ComparedFeature } from './genotype.js';
import type { Information, Profile } from './profile.js';
import type { Work } from './work.js';

/** Mass of an empty slot, whose patient was changed or removed: it makes every similarity 0. */
export const emptySlotMass = Infinity;

/** By kind of patient: 1 if patients of the kind are compared. */
export type ComparedKinds = Uint8Array;

/** A patient that shares genes with the query which say something about it (score.ts). */
export interface Sharer {
  number: number;
  id: string;
  /** As it was put into the index. */
  owner: string | undefined;
  /** Equal numbers for equal genes within one result. */
  genes: readonly number[];
}

export interface SearchedIndex {
  /** Slots, empty ones included. */
  readonly slots: number;
  readonly information: Information;
  readonly slotsByDisorder: Multimap;
  /** By slot: information of all its terms together, or `removed`. */
  readonly masses: GrowingArray<Float64Array>;
  /** By slot. Patients of one kind have the same species and owner. */
  readonly kindOf: GrowingArray<Uint32Array>;
  /** By slot: the terms that its patient states. */
  readonly stated: SlotLists;
  /** Slots whose patient has the term. */
  postings(term: number): GrowingArray<Uint32Array> | undefined;
  /** Slots whose patient states the term. */
  statedPostings(term: number): GrowingArray<Uint32Array> | undefined;
  translated(query: Profile): ComparedFeature[];
  candidates(genomic: readonly ComparedFeature[], by: SharedPlace): Iterable<number>;
  genotype(genomic: readonly ComparedFeature[], slot: number, by: SharedPlace, work: Work): number;
  kindsOf(species: string, isWanted?: (owner: string | undefined) => boolean): ComparedKinds | undefined;
  isComparable(slot: number, kinds: ComparedKinds | undefined): boolean;
  sharers(query: Profile, slots: ReadonlySet<number>, work: Work): Promise<Sharer[]>;
  number(slot: number): number;
  id(slot: number): string;
}

/** The patients that have a term, or state it. */
export interface TermPostings {
  slots: Uint32Array;
  length: number;
  information: number;
  /** The part of it that is for a term which the query states. */
  stated: number;
}

/** Of the query's terms that any patient has; those first that have most information for their length. */
export function termListsOf({ terms, stated: own }: Profile, index: SearchedIndex): TermPostings[] {
  const { added, stated } = index.information;
  const lists: TermPostings[] = [];
  const push = (slots: GrowingArray<Uint32Array> | undefined, information: number, stated: number) => {
    if (slots === undefined || information === 0) return;
    lists.push({ slots: slots.values, length: slots.length, information, stated });
  };
  let next = 0;
  for (const term of terms) {
    const [adds, half] = [added[term] as number, stated[term] as number];
    const states = own[next] === term ? half : 0;
    if (own[next] === term) next++;
    push(index.postings(term), adds + states, states);
    push(index.statedPostings(term), half, 0);
  }
  return lists.sort(
    (one, other) =>
      one.length * other.information - other.length * one.information || other.information - one.information,
  );
}

// What a search notes of each slot. One search at a time may use it.

/** The slot belongs to a relative: a patient that shares a gene, a position or a disorder. */
const isRelative = 1;
/** It is one that shares a gene. */
export const sharesGene = 2;

export class Workspace {
  /** By slot: information shared with the query, as far as it is added up. */
  shared = new Float64Array();
  /** By slot. */
  flags = new Uint8Array();
  /** The slots that share anything with the query: relatives, then the others in the order in which they were met. */
  met = new Uint32Array();
  count = 0;
  /** Room for positions among these. */
  chosen = new Uint32Array();
  #terms: SharedTerms | undefined;

  /** Compares patients with the query by their terms. */
  sharedTerms(information: Information): SharedTerms {
    this.#terms ??= new SharedTerms(information);
    return this.#terms;
  }

  /** Everything is 0 again after a search that ended well; after any other a new workspace is needed. */
  async clear(work: Work): Promise<void> {
    const { shared, flags, met } = this;
    await work.each(this.count, 1, (from, to) => {
      for (let i = from; i < to; i++) {
        const slot = met[i] as number;
        shared[slot] = 0;
        flags[slot] = 0;
      }
    });
    this.count = 0;
  }

  makeRoom(slots: number): void {
    if (this.shared.length >= slots) return;
    const room = Math.ceil(slots * 1.1);
    this.shared = new Float64Array(room);
    this.flags = new Uint8Array(room);
    this.met = new Uint32Array(room);
    this.chosen = new Uint32Array(room);
  }

  get bytes(): number {
    const parts = [this.shared, this.flags, this.met, this.chosen];
    return parts.reduce((sum, { byteLength }) => sum + byteLength, this.#terms?.bytes ?? 0);
  }
}

/** Room for the terms of one query at a time, by term. */
class SharedTerms {
  /** What a patient that has the term shares; 0 for terms that the query lacks. */
  readonly #weights: Float64Array;
  /** What a patient that states the term shares beyond that. */
  readonly #stated: Float64Array;
  /** The last patient that had the term. */
  readonly #seen: Uint32Array;
  #round = 0;
  #query: Uint32Array = new Uint32Array();
  readonly #information: Information;
  /** Ancestors that were looked at so far. */
  visited = 0;

  constructor(information: Information) {
    this.#information = information;
    this.#weights = new Float64Array(information.added.length);
    this.#stated = new Float64Array(information.added.length);
    this.#seen = new Uint32Array(information.added.length);
  }

  begin({ terms, stated }: Profile): void {
    for (const term of this.#query) {
      this.#weights[term] = 0;
      this.#stated[term] = 0;
    }
    this.#query = terms;
    for (const term of terms) {
      this.#weights[term] = this.#information.added[term] as number;
      this.#stated[term] = this.#information.stated[term] as number;
    }
    for (const term of stated) {
      this.#weights[term] = (this.#weights[term] as number) + (this.#information.stated[term] as number);
    }
  }

  /** The information that the patient in a slot shares with the query: what `sharedMass` returns for their profiles. */
  of(slot: number, lists: SlotLists): number {
    const { values: terms } = lists;
    const { offsets, terms: ancestors } = this.#information.ancestors;
    const [weights, stated, seen] = [this.#weights, this.#stated, this.#seen];
    if (++this.#round === 2 ** 32) {
      seen.fill(0);
      this.#round = 1;
    }
    const round = this.#round;
    let sum = 0;
    const end = lists.start(slot + 1);
    for (let at = lists.start(slot); at < end; at++) {
      const term = terms[at] as number;
      sum += stated[term] as number;
      const last = offsets[term + 1] as number;
      const first = offsets[term] as number;
      this.visited += last - first;
      for (let i = first; i < last; i++) {
        const ancestor = ancestors[i] as number;
        const weight = weights[ancestor] as number;
        if (weight === 0 || seen[ancestor] === round) continue;
        seen[ancestor] = round;
        sum += weight;
      }
    }
    return sum;
  }

  get bytes(): number {
    return this.#weights.byteLength + this.#stated.byteLength + this.#seen.byteLength;
  }
}

// Patients that share a gene, a position or a disorder with a query.

/** By position among the patients met. */
export interface RelativeScores {
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
export async function relativesOfQuery(
  query: Profile,
  index: SearchedIndex,
  kinds: ComparedKinds | undefined,
  space: Workspace,
  work: Work,
  known: ReadonlyMap<number, number>,
): Promise<RelativeScores> {
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
    disorders[at] = countOfPairs(query, found);
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
export function countOfPairs(query: Disorders, pairs: readonly DisorderPair[]): number {
  return countedPairs(query, pairs).reduce((sum, [i, disease]) => sum + (query.disorders[i] === disease ? 1 : 0.5), 0);
}
