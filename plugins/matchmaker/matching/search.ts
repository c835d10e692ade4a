/**
 * The best patients for a query, exactly, without looking at all of them.
 *
 * 1. Patients that share a gene, a position or a disorder are few: they are looked up, and their genotypes compared.
 * 2. The posting lists of the query's terms are added up, those first that have most information for their length. The
 *    leading patients are compared in full, first those of step 1: once not even a patient with all remaining terms could
 *    beat them, no new patient is considered.
 * 3. Of the patients met so far, those that could still be among the best are looked up in the remaining lists, which
 *    are the long ones.
 *
 * Upper bounds are computed by the same operations as scores; each of them is monotone, also in how it rounds, so that a
 * bound is never below a score that it stands for.
 */
import { Best, Greatest } from './best.js';
import type { ComparedFeature } from './genotype.js';
import type { GrowingArray } from './growing-array.js';
import type { Multimap } from './multimap.js';
import type { Information, Profile } from './profile.js';
import { phenotypeSimilarity, type Score, type ScoreWeights, scoreOf, termSimilarity } from './score.js';
import type { Work } from './work.js';
import { isRelative, type Workspace } from './workspace.js';

export interface SearchOptions {
  weights: ScoreWeights;
  /** Patients at most. */
  limit: number;
  /** Scores below are left out; 0 itself is, always. */
  threshold: number;
}

export interface Hit {
  /** The patient's number in the store. */
  number: number;
  id: string;
  score: Score;
}

/** Mass of an empty slot, whose patient was changed or removed: it makes every similarity 0. */
export const removed = Infinity;

/** A patient that shares more than terms. */
interface Relative {
  genotype: number;
  disorders: number;
}

interface TermList {
  slots: Uint32Array;
  information: number;
  /** The part of it that is for a term which the query states. */
  stated: number;
}

// Costs in steps of `Work`; adding up an entry of a posting list is one.
/** Looking a patient up in a posting list. */
const lookingUp = 8;
/** Computing a total. */
const totalling = 2;
/** Visiting a patient that shares a gene, a position or a disorder. */
const visiting = 10;
/** Making a hit, id included. */
const ranking = 50;

/** What a search reads of the index. */
export interface Searched {
  /** Slots, empty ones included. */
  readonly slots: number;
  readonly information: Information;
  readonly slotsByDisorder: Multimap;
  /** By slot: information of all its terms together, or `removed`. */
  readonly masses: GrowingArray<Float64Array>;
  postings(term: number): Uint32Array;
  /** Slots whose patient states the term. */
  statedPostings(term: number): Uint32Array;
  translated(query: Profile): ComparedFeature[];
  candidates(query: Profile, genomic: readonly ComparedFeature[]): Iterable<number>;
  genotype(genomic: readonly ComparedFeature[], slot: number, work: Work): number;
  species(name: string): number | undefined;
  isComparable(slot: number, species: number | undefined): boolean;
  number(slot: number): number;
  id(slot: number): string;
}

/** One search. The index must not change, nor the workspace be used by another, until it is over. */
export class Search {
  readonly #index: Searched;
  readonly #space: Workspace;
  readonly #query: Profile;
  readonly #options: SearchOptions;
  readonly #work: Work;
  readonly #species: number | undefined;
  /** Half of the information of the terms that the query states: so much can be shared beyond a patient's own. */
  readonly #stated: number;
  readonly #relatives = new Map<number, Relative>();

  constructor(index: Searched, space: Workspace, query: Profile, options: SearchOptions, work: Work) {
    this.#index = index;
    this.#space = space;
    this.#query = query;
    this.#options = options;
    this.#work = work;
    this.#species = index.species(query.species);
    this.#stated = query.stated.reduce((sum, term) => sum + (index.information.stated[term] as number), 0);
  }

  /** Best first. Genotypes that were compared before are given by slot; the others are compared here. */
  async run(genotypes: ReadonlyMap<number, number>): Promise<Hit[]> {
    if (this.#species === undefined) return [];
    this.#space.makeRoom(this.#index.slots);
    await this.#findRelatives(genotypes);
    const hits = await this.#rank(await this.#survivors());
    await this.#space.clear(this.#work);
    return hits;
  }

  async #findRelatives(genotypes: ReadonlyMap<number, number>): Promise<void> {
    const [index, space, work] = [this.#index, this.#space, this.#work];
    const genomic = index.translated(this.#query);
    for (const slot of index.candidates(this.#query, genomic)) {
      work.spend(visiting);
      const turn = work.turn();
      if (turn) await turn;
      if (this.#relatives.has(slot)) continue;
      const genotype = genotypes.get(slot) ?? index.genotype(genomic, slot, work);
      this.#relatives.set(slot, { genotype, disorders: 0 });
    }
    for (const disorder of this.#query.disorders) {
      for (const slot of index.slotsByDisorder.values(disorder)) {
        work.spend(visiting);
        const turn = work.turn();
        if (turn) await turn;
        if (!index.isComparable(slot, this.#species)) continue;
        const found = this.#relatives.get(slot);
        if (found) found.disorders++;
        else this.#relatives.set(slot, { genotype: 0, disorders: 1 });
      }
    }
    for (const slot of this.#relatives.keys()) {
      space.met[space.count++] = slot;
      space.flags[slot] = isRelative;
      work.spend(1);
      const turn = work.turn();
      if (turn) await turn;
    }
  }

  /** Slots among which the best are, with all that they share added up. */
  async #survivors(): Promise<Uint32Array> {
    const space = this.#space;
    const lists = this.#lists();
    let rest = lists.reduce((sum, { information }) => sum + information, 0);
    let restStated = lists.reduce((sum, { stated }) => sum + stated, 0);
    let survivors: Uint32Array | undefined;
    let added = 0;
    // Patients with a shared gene often lead from the start, and then rule out the others early.
    let floor = await this.#floor(space.met.subarray(0, space.count), lists);
    let hopeful = Infinity;
    for (const [at, { slots, information, stated }] of lists.entries()) {
      // Comparing all who are left takes about as long as adding up a list of their length.
      const left = survivors ?? space.met.subarray(0, space.count);
      const newcomer = this.#newcomer(rest, restStated);
      const isDue = added > left.length;
      // Those who lead change little: looking for them again pays when newcomers have come half of the way down to them.
      if (isDue && (survivors || newcomer <= hopeful)) {
        added = 0;
        floor = Math.max(floor, await this.#floor(left, lists.slice(at)));
        hopeful = (newcomer + floor) / 2;
        if (survivors) survivors = await this.#contenders(left, rest, floor);
      }
      if (!survivors && newcomer < floor) {
        added = 0;
        survivors = await space.ascending(await this.#contenders(left, rest, floor), this.#work);
      }
      if (survivors && survivors.length * lookingUp < slots.length) {
        await this.#addTo(survivors, slots, information);
        added += survivors.length * lookingUp;
      } else {
        await this.#addAll(slots, information);
        added += slots.length;
      }
      rest -= information;
      restStated -= stated;
    }
    return survivors ?? space.met.subarray(0, space.count);
  }

  /** Of the query's terms that any patient has; those first that have most information for their length. */
  #lists(): TermList[] {
    const { added, stated } = this.#index.information;
    const own = new Set(this.#query.stated);
    const lists: TermList[] = [];
    const push = (slots: Uint32Array, information: number, stated: number) => {
      if (slots.length > 0 && information > 0) lists.push({ slots, information, stated });
    };
    for (const term of this.#query.terms) {
      const [adds, half] = [added[term] as number, stated[term] as number];
      const states = own.has(term) ? half : 0;
      push(this.#index.postings(term), adds + states, states);
      push(this.#index.statedPostings(term), half, 0);
    }
    return lists.sort(
      (one, other) =>
        one.slots.length * other.information - other.slots.length * one.information ||
        other.information - one.information,
    );
  }

  /**
   * The most that a patient can score that is on the remaining lists only. Its own information is at least what it shares
   * without the halves of terms that only the query states.
   */
  #newcomer(rest: number, restStated: number): number {
    const terms = termSimilarity(rest, this.#query.mass, rest - restStated);
    return scoreOf(0, phenotypeSimilarity(terms, 0), this.#options.weights).total;
  }

  #addAll(slots: Uint32Array, information: number): Promise<void> {
    const space = this.#space;
    const { shared, flags, met } = space;
    return this.#work.each(slots.length, 1, (from, to) => {
      let { count } = space;
      for (let i = from; i < to; i++) {
        const slot = slots[i] as number;
        const before = shared[slot] as number;
        if (before === 0 && flags[slot] === 0) met[count++] = slot;
        shared[slot] = before + information;
      }
      space.count = count;
    });
  }

  /** Both ascending: from one to the next by steps that double. */
  #addTo(survivors: Uint32Array, slots: Uint32Array, information: number): Promise<void> {
    const { shared } = this.#space;
    let low = 0;
    return this.#work.each(survivors.length, lookingUp, (from, to) => {
      for (let i = from; i < to && low < slots.length; i++) {
        const slot = survivors[i] as number;
        let step = 1;
        while (low + step < slots.length && (slots[low + step] as number) < slot) step *= 2;
        const high = Math.min(low + step, slots.length);
        low = positionIn(slots, slot, low + (step >> 1), high);
        if (slots[low] === slot) shared[slot] = (shared[slot] as number) + information;
      }
    });
  }

  /**
   * No patient below this score is among the best: the worst score of as many leading patients as are wanted. What the
   * remaining lists add to these few is looked up, so that their scores are exact.
   */
  async #floor(slots: Uint32Array, lists: readonly TermList[]): Promise<number> {
    const { limit, threshold } = this.#options;
    const ahead = new Greatest(limit);
    await this.#work.each(slots.length, totalling, (from, to) => {
      for (let i = from; i < to; i++) ahead.offer(this.#total(slots[i] as number, 0));
    });
    if (ahead.least === -Infinity || lists.length === 0) return Math.max(ahead.least, threshold);
    const leading: number[] = [];
    await this.#work.each(slots.length, totalling, (from, to) => {
      for (let i = from; i < to && leading.length < limit; i++) {
        if (this.#total(slots[i] as number, 0) >= ahead.least) leading.push(slots[i] as number);
      }
    });
    const best = new Greatest(limit);
    for (const slot of leading) {
      let more = 0;
      for (const { slots: list, information } of lists) {
        if (list[positionIn(list, slot, 0, list.length)] === slot) more += information;
      }
      best.offer(this.#total(slot, more));
      this.#work.spend(lists.length * lookingUp);
      await this.#work.turn();
    }
    return Math.max(best.least, threshold);
  }

  /** Those that reach the floor if they have all remaining terms. */
  async #contenders(slots: Uint32Array, rest: number, floor: number): Promise<Uint32Array> {
    const { flags } = this.#space;
    const kept = new Uint32Array(slots.length);
    let count = 0;
    await this.#work.each(slots.length, totalling, (from, to) => {
      for (let i = from; i < to; i++) {
        const slot = slots[i] as number;
        // How a shared disorder rounds is not monotone; such patients are few.
        const isCertain = flags[slot] === isRelative && (this.#relatives.get(slot)?.disorders ?? 0) > 0;
        if (isCertain || this.#total(slot, rest) >= floor) kept[count++] = slot;
      }
    });
    return kept.subarray(0, count);
  }

  /** Information of a slot's terms; `removed` also if its patient is of another species. */
  #mass(slot: number): number {
    return this.#index.isComparable(slot, this.#species) ? this.#index.masses.at(slot) : removed;
  }

  /** The total score if a slot shares so much more. */
  #total(slot: number, more: number): number {
    if (this.#space.flags[slot] === isRelative) return this.#score(slot, more).total;
    const mass = this.#mass(slot);
    // What `#score` computes, without making an object.
    const shared = Math.min((this.#space.shared[slot] as number) + more, mass + this.#stated);
    return this.#options.weights.phenotype * termSimilarity(shared, this.#query.mass, mass);
  }

  #score(slot: number, more: number): Score {
    const mass = this.#mass(slot);
    const shared = Math.min((this.#space.shared[slot] as number) + more, mass + this.#stated);
    const terms = termSimilarity(shared, this.#query.mass, mass);
    const { genotype, disorders } = this.#relatives.get(slot) ?? { genotype: 0, disorders: 0 };
    return scoreOf(genotype, phenotypeSimilarity(terms, disorders), this.#options.weights);
  }

  async #rank(slots: Uint32Array): Promise<Hit[]> {
    const [index, work] = [this.#index, this.#work];
    const { limit } = this.#options;
    const floor = await this.#floor(slots, []);
    const best = new Best<Hit>(limit);
    await work.each(slots.length, totalling, (from, to) => {
      for (let i = from; i < to; i++) {
        const slot = slots[i] as number;
        const total = this.#total(slot, 0);
        if (total <= 0 || total < floor) continue;
        best.offer({ number: index.number(slot), id: index.id(slot), score: this.#score(slot, 0) });
        work.spend(ranking);
      }
    });
    return best.items;
  }
}

/** The first position from `low` up to `high` whose slot is not below. */
function positionIn(slots: Uint32Array, slot: number, low: number, high: number): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((slots[middle] as number) < slot) from = middle + 1;
    else to = middle;
  }
  return from;
}
