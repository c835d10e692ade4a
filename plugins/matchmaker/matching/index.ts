/**
 * All patients, inverted: from a term, a gene, a place or a disorder to those who have it. A patient lies in a *slot*;
 * slots are given out in ascending order, so that every list of slots ascends. A patient that changes gets a new slot,
 * and its old one is *dead* until the index is compacted.
 */
import { type Column, numberColumn, wideColumn } from './column.js';
import { FeatureTable } from './features.js';
import type { ComparedFeature } from './genotype.js';
import { IdList } from './ids.js';
import { Interned } from './interned.js';
import { Multimap } from './multimap.js';
import type { Profile } from './profile.js';
import { dead, type Hit, Search, type SearchOptions } from './search.js';
import type { Work } from './turns.js';

/** Below that it is not worth while to compact. */
const fewSlots = 1000;

export class PatientIndex {
  /** Information of terms in whole units (profile.ts). */
  readonly information: Float64Array;
  readonly features = new FeatureTable();
  readonly slotsByDisorder = new Multimap();
  /** By slot: information of all its terms together, or `dead`. */
  readonly masses = wideColumn();
  /** By term: slots that have it or a descendant, ascending; undefined where there are none. */
  readonly #postings: (Column<Uint32Array> | undefined)[];
  readonly #species = new Interned();
  /** By slot, as it is interned. */
  readonly #speciesOf = numberColumn();
  readonly #numbers = wideColumn();
  readonly #ids = new IdList();
  /** One slot for each number, the newest. */
  readonly #slotsByNumber = new Multimap();
  readonly #search = new Search(this);
  #live = 0;

  constructor(information: Float64Array) {
    this.information = information;
    this.#postings = new Array(information.length).fill(undefined);
  }

  /** Patients in it. */
  get size(): number {
    return this.#live;
  }

  /** Slots, dead ones included. */
  get slots(): number {
    return this.masses.length;
  }

  /** Puts a patient in, in the place of what is there under its number. */
  put(number: number, profile: Profile): void {
    this.remove(number);
    const slot = this.slots;
    for (const term of profile.terms) {
      let list = this.#postings[term];
      if (list === undefined) {
        list = numberColumn();
        this.#postings[term] = list;
      }
      list.push(slot);
    }
    for (const disorder of profile.disorders) this.slotsByDisorder.add(disorder, slot);
    this.features.append(profile.genomic);
    this.masses.push(profile.mass);
    this.#speciesOf.push(this.#species.intern(profile.species));
    this.#numbers.push(number);
    this.#ids.append(profile.id);
    this.#slotsByNumber.add(number, slot);
    this.#live++;
  }

  /** Takes a patient out; nothing happens where there is none of the number. */
  remove(number: number): void {
    const entry = this.#slotsByNumber.first(number);
    if (entry < 0) return;
    const slot = this.#slotsByNumber.value(entry);
    if (this.masses.at(slot) === dead) return;
    this.masses.values[slot] = dead;
    this.#live--;
  }

  /**
   * The best patients for a query made by the profiler whose profiles are in here: exact, best first, ties by id. Genotypes
   * that were compared before are given by slot; others are compared now.
   */
  search(query: Profile, options: SearchOptions, genotypes?: ReadonlyMap<number, number>): Hit[] {
    return this.#search.run(query, options, genotypes);
  }

  /** Slots that share a gene or a place with a query and have no genotype yet, and the query's features as they are here. */
  candidates(query: Profile, genotypes: ReadonlyMap<number, number>): { genomic: ComparedFeature[]; slots: number[] } {
    return this.#search.candidates(query, genotypes);
  }

  /** Similarity of the genotypes of a query and a slot. */
  genotype(genomic: readonly ComparedFeature[], slot: number, work?: Work): number {
    return this.#search.genotype(genomic, slot, work);
  }

  /** Whether the patient in a slot is one to compare with this species: still there, and not of another. */
  isComparable(slot: number, species: number | undefined): boolean {
    return this.#speciesOf.at(slot) === species && this.masses.at(slot) !== dead;
  }

  /** The number of a species here; undefined if no patient is of it. */
  species(name: string): number | undefined {
    return this.#species.find(name);
  }

  postings(term: number): Uint32Array {
    const list = this.#postings[term];
    return list ? list.values.subarray(0, list.length) : new Uint32Array();
  }

  number(slot: number): number {
    return this.#numbers.at(slot);
  }

  id(slot: number): string {
    return this.#ids.at(slot);
  }

  /** Whether more than a fifth of the slots are dead. */
  get wasteful(): boolean {
    return this.slots > fewSlots && this.slots - this.#live > this.slots / 5;
  }

  /** Takes out the dead slots, in steps. Nothing else may be done with the index until the last step. */
  *compact(): Generator<void> {
    const numbers = new Uint32Array(this.slots);
    let kept = 0;
    for (let slot = 0; slot < this.slots; slot++) numbers[slot] = this.masses.at(slot) === dead ? dropped : kept++;
    const moved = (slot: number) => {
      const number = numbers[slot] as number;
      return number === dropped ? undefined : number;
    };
    for (const [term, list] of this.#postings.entries()) {
      if (list === undefined) continue;
      compactSlots(list, numbers);
      if (list.length === 0) this.#postings[term] = undefined;
      yield;
    }
    this.features.compact(moved);
    yield;
    this.slotsByDisorder.remap(moved);
    this.#slotsByNumber.remap(moved);
    yield;
    this.#ids.compact(moved);
    for (let slot = 0; slot < numbers.length; slot++) {
      const to = moved(slot);
      if (to === undefined) continue;
      this.masses.values[to] = this.masses.at(slot);
      this.#speciesOf.values[to] = this.#speciesOf.at(slot);
      this.#numbers.values[to] = this.#numbers.at(slot);
    }
    this.masses.truncate(kept);
    this.#speciesOf.truncate(kept);
    this.#numbers.truncate(kept);
  }

  /** Bytes of all that it keeps, the working space of a search included. */
  get bytes(): number {
    const columns = [this.masses, this.#species, this.#speciesOf, this.#numbers, this.#ids, this.#slotsByNumber];
    const parts = [this.features, this.slotsByDisorder, ...columns];
    return (
      this.#search.bytes +
      parts.reduce((sum, { bytes }) => sum + bytes, 0) +
      this.#postings.reduce((sum, list) => sum + 8 + (list ? list.bytes + 200 : 0), 0)
    );
  }
}

const dropped = 2 ** 32 - 1;

function compactSlots(list: Column<Uint32Array>, numbers: Uint32Array): void {
  const { values, length } = list;
  let kept = 0;
  for (let i = 0; i < length; i++) {
    const number = numbers[values[i] as number] as number;
    if (number !== dropped) values[kept++] = number;
  }
  list.truncate(kept);
}
