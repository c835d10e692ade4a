/** What a search reads of the index. */
import type { Sharing } from './features.js';
import type { ComparedFeature } from './genotype.js';
import type { GrowingArray, Multimap } from './multimap.js';
import type { Information, Profile } from './profile.js';
import type { SlotLists } from './slot-lists.js';
import type { Work } from './work.js';

/** Mass of an empty slot, whose patient was changed or removed: it makes every similarity 0. */
export const removed = Infinity;

/** By kind of patient: 1 if patients of the kind are compared. */
export type Kinds = Uint8Array;

/** A patient that shares genes with the query which say something about it (gene-first.ts). */
export interface Sharer {
  number: number;
  id: string;
  /** As it was put into the index. */
  owner: string | undefined;
  /** Equal numbers for equal genes within one result. */
  genes: readonly number[];
}

export interface Searched {
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
  candidates(genomic: readonly ComparedFeature[], by: Sharing): Iterable<number>;
  genotype(genomic: readonly ComparedFeature[], slot: number, by: Sharing, work: Work): number;
  kindsOf(species: string, isWanted?: (owner: string | undefined) => boolean): Kinds | undefined;
  isComparable(slot: number, kinds: Kinds | undefined): boolean;
  sharers(query: Profile, slots: ReadonlySet<number>, work: Work): Promise<Sharer[]>;
  number(slot: number): number;
  id(slot: number): string;
}

/** The patients that have a term, or state it. */
export interface TermList {
  slots: Uint32Array;
  length: number;
  information: number;
  /** The part of it that is for a term which the query states. */
  stated: number;
}

/** Of the query's terms that any patient has; those first that have most information for their length. */
export function termListsOf({ terms, stated: own }: Profile, index: Searched): TermList[] {
  const { added, stated } = index.information;
  const lists: TermList[] = [];
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
