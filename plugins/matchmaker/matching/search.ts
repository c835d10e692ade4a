/**
 * The best patients for a query, exactly, without looking at all of them.
 *
 * 1. Patients that share a gene, a place or a disorder are few: they are found in the maps, and their genotypes compared.
 * 2. The lists of the query's terms are added up, rare terms first. Those that are ahead now and then are compared whole:
 *    once even a patient with all remaining terms could not outdo them, no new patient is looked for.
 * 3. Of the patients found so far, those that still could are looked up in the remaining lists, which are the long ones.
 *
 * Bounds are computed by the same operations as scores; each of them is monotone, also in how it rounds, so that a bound
 * is never below a score that it stands for.
 */
import { byRank, Greatest } from './best.js';
import type { Column } from './column.js';
import type { FeatureTable } from './features.js';
import { type ComparedFeature, genotypeSimilarity } from './genotype.js';
import type { Multimap } from './multimap.js';
import type { Profile } from './profile.js';
import { phenotypeSimilarity, type Score, type ScoreWeights, scoreOf, simGic } from './score.js';
import type { Work } from './turns.js';

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

/** Mass of a dead slot: it makes every similarity 0. */
export const dead = Infinity;

/** A patient that shares more than terms. */
interface Related {
  genotype: number;
  disorders: number;
}

interface TermList {
  slots: Uint32Array;
  information: number;
}

/** Looking a patient up in a list costs as much as adding up so many of its entries. */
const dearer = 8;

/** Unpacking a patient's features costs about as much as so many steps of comparing them. */
const reading = 32;

/** What a search reads of the index. */
export interface Searched {
  /** Slots, dead ones included. */
  readonly slots: number;
  readonly information: Float64Array;
  readonly features: FeatureTable;
  readonly slotsByDisorder: Multimap;
  /** By slot: information of all its terms together, or `dead`. */
  readonly masses: Column<Float64Array>;
  postings(term: number): Uint32Array;
  species(name: string): number | undefined;
  isComparable(slot: number, species: number | undefined): boolean;
  number(slot: number): number;
  id(slot: number): string;
}

export class Search {
  readonly #index: Searched;
  /** By slot, all 0 between two searches: information shared with the query, as far as it is added up. */
  #shared = new Float64Array();
  /** By slot, all 0 between two searches: whether it is among the relatives. */
  #related = new Uint8Array();
  /** Slots that were met: the relatives, then the others. */
  #met = new Uint32Array();
  #count = 0;
  /** Of the query. */
  #species: number | undefined;

  constructor(index: Searched) {
    this.#index = index;
  }

  get bytes(): number {
    return this.#shared.byteLength + this.#related.byteLength + this.#met.byteLength;
  }

  run(query: Profile, options: SearchOptions, genotypes: ReadonlyMap<number, number> = new Map()): Hit[] {
    this.#species = this.#index.species(query.species);
    if (this.#species === undefined) return [];
    this.#makeRoom();
    try {
      const relatives = this.#relatives(query, genotypes);
      return this.#ranked(query, this.#survivors(query, relatives, options), relatives, options);
    } finally {
      for (let i = 0; i < this.#count; i++) {
        const slot = this.#met[i] as number;
        this.#shared[slot] = 0;
        this.#related[slot] = 0;
      }
      this.#count = 0;
    }
  }

  #makeRoom(): void {
    const { slots } = this.#index;
    if (this.#shared.length >= slots) return;
    const room = Math.ceil(slots * 1.1);
    this.#shared = new Float64Array(room);
    this.#related = new Uint8Array(room);
    this.#met = new Uint32Array(room);
  }

  candidates(query: Profile, genotypes: ReadonlyMap<number, number>): { genomic: ComparedFeature[]; slots: number[] } {
    const { features } = this.#index;
    const species = this.#index.species(query.species);
    const genomic = features.translated(query.genomic);
    const slots = new Set<number>();
    features.forEachCandidate(genomic, (slot) => {
      if (!genotypes.has(slot) && this.#index.isComparable(slot, species)) slots.add(slot);
    });
    return { genomic, slots: [...slots] };
  }

  genotype(genomic: readonly ComparedFeature[], slot: number, work?: Work): number {
    work?.spend(reading);
    return genotypeSimilarity(genomic, this.#index.features.features(slot), work);
  }

  #relatives(query: Profile, genotypes: ReadonlyMap<number, number>): Map<number, Related> {
    const { slotsByDisorder } = this.#index;
    const relatives = new Map<number, Related>();
    for (const [slot, genotype] of genotypes) {
      if (this.#index.isComparable(slot, this.#species)) relatives.set(slot, { genotype, disorders: 0 });
    }
    const { genomic, slots } = this.candidates(query, genotypes);
    for (const slot of slots) relatives.set(slot, { genotype: this.genotype(genomic, slot), disorders: 0 });
    for (const disorder of query.disorders) {
      for (let at = slotsByDisorder.first(disorder); at >= 0; at = slotsByDisorder.next(at)) {
        const slot = slotsByDisorder.value(at);
        if (!this.#index.isComparable(slot, this.#species)) continue;
        const found = relatives.get(slot);
        if (found) found.disorders++;
        else relatives.set(slot, { genotype: 0, disorders: 1 });
      }
    }
    for (const slot of relatives.keys()) {
      this.#met[this.#count++] = slot;
      this.#related[slot] = 1;
    }
    return relatives;
  }

  /** Slots among which the best are, ascending, with all that they share added up. */
  #survivors(query: Profile, relatives: ReadonlyMap<number, Related>, options: SearchOptions): Uint32Array {
    const lists = this.#lists(query);
    const { weights } = options;
    let rest = lists.reduce((sum, { information }) => sum + information, 0);
    let survivors: Uint32Array | undefined;
    let work = 0;
    for (const [at, { slots, information }] of lists.entries()) {
      // Looking at all who are left costs about as much as a list of their length.
      const left = survivors ?? this.#met.subarray(0, this.#count);
      if (work > left.length) {
        work = 0;
        const floor = this.#floor(query, left, relatives, options, lists.slice(at));
        const newcomer = scoreOf(0, phenotypeSimilarity(simGic(rest, query.mass, rest), 0), weights);
        if (survivors || newcomer.total < floor) {
          const hopeful = this.#hopeful(query, left, relatives, rest, floor, weights);
          survivors = survivors ? hopeful : hopeful.sort();
        }
      }
      if (survivors && survivors.length * dearer < slots.length) {
        this.#addTo(survivors, slots, information);
        work += survivors.length * dearer;
      } else {
        this.#addAll(slots, information);
        work += slots.length;
      }
      rest -= information;
    }
    return survivors ?? this.#met.slice(0, this.#count).sort();
  }

  /** Of the query's terms that any patient has; shortest first. */
  #lists(query: Profile): TermList[] {
    const lists: TermList[] = [];
    for (const term of query.terms) {
      const slots = this.#index.postings(term);
      if (slots.length > 0) lists.push({ slots, information: this.#index.information[term] as number });
    }
    return lists.sort((one, other) => one.slots.length - other.slots.length || other.information - one.information);
  }

  #addAll(slots: Uint32Array, information: number): void {
    const [shared, related, met] = [this.#shared, this.#related, this.#met];
    let count = this.#count;
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] as number;
      const before = shared[slot] as number;
      if (before === 0 && related[slot] === 0) met[count++] = slot;
      shared[slot] = before + information;
    }
    this.#count = count;
  }

  /** Both ascending: from one to the next by steps that double. */
  #addTo(survivors: Uint32Array, slots: Uint32Array, information: number): void {
    let low = 0;
    for (let i = 0; i < survivors.length && low < slots.length; i++) {
      const slot = survivors[i] as number;
      let step = 1;
      while (low + step < slots.length && (slots[low + step] as number) < slot) step *= 2;
      const high = Math.min(low + step, slots.length);
      low = placeIn(slots, slot, low + (step >> 1), high);
      if (slots[low] === slot) this.#shared[slot] = (this.#shared[slot] as number) + information;
    }
  }

  /**
   * No patient below this score is among the best: the worst score of as many as are asked for, those that are ahead by
   * what is added up so far. What the lists add to these few is looked up, to know their scores exactly.
   */
  #floor(
    query: Profile,
    slots: Uint32Array,
    relatives: ReadonlyMap<number, Related>,
    { weights, limit, threshold }: SearchOptions,
    lists: readonly TermList[],
  ): number {
    const ahead = new Greatest(limit);
    for (let i = 0; i < slots.length; i++) ahead.offer(this.#total(query, slots[i] as number, relatives, 0, weights));
    if (ahead.least === -Infinity || lists.length === 0) return Math.max(ahead.least, threshold);
    const best = new Greatest(limit);
    let seen = 0;
    for (let i = 0; i < slots.length && seen < limit; i++) {
      const slot = slots[i] as number;
      if (this.#total(query, slot, relatives, 0, weights) < ahead.least) continue;
      seen++;
      let more = 0;
      for (const { slots: list, information } of lists) {
        if (list[placeIn(list, slot, 0, list.length)] === slot) more += information;
      }
      best.offer(this.#total(query, slot, relatives, more, weights));
    }
    return Math.max(best.least, threshold);
  }

  /** Those who reach the floor if they have all that is left. */
  #hopeful(
    query: Profile,
    slots: Uint32Array,
    relatives: ReadonlyMap<number, Related>,
    rest: number,
    floor: number,
    weights: ScoreWeights,
  ): Uint32Array {
    const kept = new Uint32Array(slots.length);
    let count = 0;
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] as number;
      // How a shared disorder rounds is not monotone; such patients are few.
      const certain = this.#related[slot] === 1 && (relatives.get(slot)?.disorders ?? 0) > 0;
      if (certain || this.#total(query, slot, relatives, rest, weights) >= floor) kept[count++] = slot;
    }
    return kept.subarray(0, count);
  }

  /** Information of a slot's terms; of one that is not to be compared as of a dead one. */
  #mass(slot: number): number {
    return this.#index.isComparable(slot, this.#species) ? this.#index.masses.at(slot) : dead;
  }

  /** The score if a slot shares as much more as is left; 0 for dead ones, and for those of other species. */
  #total(
    query: Profile,
    slot: number,
    relatives: ReadonlyMap<number, Related>,
    rest: number,
    weights: ScoreWeights,
  ): number {
    if (this.#related[slot] === 1) return this.#score(query, slot, relatives, rest, weights).total;
    const mass = this.#mass(slot);
    // As scoreOf(0, …) has it, without making an object.
    return weights.phenotype * simGic(Math.min((this.#shared[slot] as number) + rest, mass), query.mass, mass);
  }

  #score(
    query: Profile,
    slot: number,
    relatives: ReadonlyMap<number, Related>,
    rest: number,
    weights: ScoreWeights,
  ): Score {
    const mass = this.#mass(slot);
    const simgic = simGic(Math.min((this.#shared[slot] as number) + rest, mass), query.mass, mass);
    const { genotype, disorders } = relatives.get(slot) ?? { genotype: 0, disorders: 0 };
    return scoreOf(genotype, phenotypeSimilarity(simgic, disorders), weights);
  }

  #ranked(query: Profile, slots: Uint32Array, relatives: ReadonlyMap<number, Related>, options: SearchOptions): Hit[] {
    const { weights, limit, threshold } = options;
    const floor = this.#floor(query, slots, relatives, options, []);
    const hits: Hit[] = [];
    for (const slot of slots) {
      const score = this.#score(query, slot, relatives, 0, weights);
      if (score.total <= 0 || score.total < threshold || score.total < floor) continue;
      hits.push({ number: this.#index.number(slot), id: this.#index.id(slot), score });
    }
    return hits.sort(byRank).slice(0, limit);
  }
}

/** The first place from `low` up to `high` whose slot is not below. */
function placeIn(slots: Uint32Array, slot: number, low: number, high: number): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((slots[middle] as number) < slot) from = middle + 1;
    else to = middle;
  }
  return from;
}
