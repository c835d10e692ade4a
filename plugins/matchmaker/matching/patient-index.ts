/**
 * All patients, inverted: from a term, a gene, a position or a disorder to those who have it. Each patient has a *slot*;
 * slots are given out in ascending order, so that every list of slots ascends. A patient that changes gets a new slot, and
 * its old one is *empty* until the index is compacted.
 */
import { randomInt } from 'node:crypto';
import {
  type GrowingArray,
  growingBytes,
  growingFloats,
  growingNumbers,
  InternedTexts,
  Multimap,
  SlotLists,
} from './columns.js';
import { FeatureTable, type SharedPlace } from './features.js';
import { type ComparedFeature, genotypeSimilarity, similarityOfGenotypes } from './genotype.js';
import type { Information, Profile } from './profile.js';
import { type ComparedKinds, emptySlotMass, type SearchedIndex, type Sharer, Workspace } from './relatives.js';
import { genesOfProfile, longestList, mostListed } from './score.js';
import { IndexSearch, type IndexSearchOptions, type PatientHits } from './search.js';
import type { Work } from './work.js';

/** Below that it is not worthwhile to compact. */
const fewSlots = 1000;

/** Unpacking a patient's features takes about so many steps (work.ts). */
const unpacking = 32;

/** Slots that are moved in one go when compacting. */
const portion = 4096;

export class PatientIndex implements SearchedIndex {
  /** Of terms, in whole units (profile.ts). */
  readonly information: Information;
  readonly features = new FeatureTable();
  readonly slotsByDisorder = new Multimap();
  /** By slot: information of all its terms together, or `removed`. */
  readonly masses = growingFloats();
  /** By term: slots that have it or a descendant, ascending. */
  readonly #postings: Postings;
  /** By term: slots whose patient states it. */
  readonly #statedPostings: Postings;
  /** By slot: the terms that its patient states. */
  readonly stated = new SlotLists(growingNumbers());
  /** By kind. */
  readonly #kinds: { species: string; owner: string | undefined }[] = [];
  /** The numbers of kinds, from 1. */
  readonly #kindNumbers = new InternedTexts();
  readonly kindOf = growingNumbers();
  readonly #numbers = growingFloats();
  readonly #ids = new SlotLists(growingBytes());
  /** One slot for each number, the newest. */
  readonly #slotsByNumber = new Multimap();
  /** By a hash of the id. */
  readonly #slotsById = new Multimap();
  #space = new Workspace();
  #live = 0;
  #greatest = 0;

  constructor(information: Information) {
    this.information = information;
    this.#postings = new Array(information.added.length).fill(undefined);
    this.#statedPostings = new Array(information.added.length).fill(undefined);
  }

  /** Patients in it. */
  get size(): number {
    return this.#live;
  }

  /** Slots, empty ones included. */
  get slots(): number {
    return this.masses.length;
  }

  /** Adds a patient, or replaces the one of this number. Searches can be limited to some owners. */
  put(number: number, profile: Profile, owner?: string): void {
    this.remove(number);
    const slot = this.slots;
    appendPosting(this.#postings, profile.terms, slot);
    appendPosting(this.#statedPostings, profile.stated, slot);
    this.stated.append(profile.stated);
    for (const disorder of profile.disorders) this.slotsByDisorder.add(disorder, slot);
    this.features.append(profile.genomic);
    this.masses.push(profile.mass);
    this.kindOf.push(this.#kind(profile.species, owner));
    this.#numbers.push(number);
    this.#ids.append(Buffer.from(profile.id));
    this.#slotsByNumber.add(number, slot);
    this.#slotsById.add(hashOf(profile.id), slot);
    this.#greatest = Math.max(this.#greatest, number);
    this.#live++;
  }

  /** Removes a patient; does nothing if there is none of the number. */
  remove(number: number): void {
    const slot = this.#slotsByNumber.newest(number);
    if (slot === undefined || this.masses.at(slot) === emptySlotMass) return;
    this.masses.values[slot] = emptySlotMass;
    this.#live--;
  }

  has(number: number): boolean {
    const slot = this.#slotsByNumber.newest(number);
    return slot !== undefined && this.masses.at(slot) !== emptySlotMass;
  }

  /** The number of the patient of this id; undefined if there is none. */
  numberOf(id: string): number | undefined {
    for (const slot of this.#slotsById.values(hashOf(id))) {
      if (this.masses.at(slot) !== emptySlotMass && this.id(slot) === id) return this.number(slot);
    }
    return undefined;
  }

  /** The greatest number of a patient in it; 0 if there is none. */
  greatestNumber(): number {
    while (this.#greatest > 0 && !this.has(this.#greatest)) this.#greatest--;
    return this.#greatest;
  }

  /**
   * The best patients for a query made by the profiler whose profiles are in here: exact, best first, ties by id. Genotypes
   * that were compared before are given by slot; others are compared now. One search at a time; it takes several turns of
   * the event loop, and the index must not change before the last.
   */
  async search(
    query: Profile,
    options: IndexSearchOptions,
    work: Work,
    genotypes: ReadonlyMap<number, number> = new Map(),
  ): Promise<PatientHits> {
    try {
      return await new IndexSearch(this, this.#space, query, options, work).run(genotypes);
    } catch (error) {
      this.#space = new Workspace();
      throw error;
    }
  }

  /** A query's genomic features with the keys of the index. */
  translated(query: Profile): ComparedFeature[] {
    return this.features.translated(query.genomic);
  }

  /**
   * Slots of patients that have a variant at a position of a query's translated features or next to it, or that share a
   * gene; a slot may come again, and its patient may be removed or of another species. Patients may be put and removed
   * meanwhile, but the index must not be compacted.
   */
  candidates(genomic: readonly ComparedFeature[], by: SharedPlace): Iterable<number> {
    return this.features.candidates(genomic, by);
  }

  /**
   * Those of the slots that share a gene with the query which says something about them: one that no more than 1 % of the
   * patients list, if neither list has more than ten.
   */
  async sharers(query: Profile, slots: ReadonlySet<number>, work: Work): Promise<Sharer[]> {
    if (slots.size === 0 || genesOfProfile(query).size > longestList) return [];
    const shared = new Map<number, number[]>();
    for (const gene of new Set(this.translated(query).flatMap(({ gene = [] }) => gene))) {
      const sharing: number[] = [];
      let listing = 0;
      for (const slot of this.candidates([{ gene, places: [] }], 'gene')) {
        work.spend(1);
        const turn = work.turn();
        if (turn) await turn;
        if (this.masses.at(slot) !== emptySlotMass) listing++;
        if (listing > this.size * mostListed) break;
        if (slots.has(slot)) sharing.push(slot);
      }
      if (listing > this.size * mostListed) continue;
      for (const slot of sharing) shared.set(slot, [...(shared.get(slot) ?? []), Number(gene)]);
    }
    const short = [...shared].filter(([slot]) => this.features.genes(slot) <= longestList);
    return short.map(([slot, genes]) => {
      const { owner } = this.#kinds[this.kindOf.at(slot) - 1] ?? {};
      return { number: this.number(slot), id: this.id(slot), owner, genes };
    });
  }

  /** Similarity of a query's features, translated, and those of a slot, which is a candidate `by` that at most. */
  genotype(genomic: readonly ComparedFeature[], slot: number, by: SharedPlace, work: Work): number {
    work.spend(by === 'place' ? unpacking : unpacking / 2);
    const [only] = genomic;
    if (by === 'gene' && only !== undefined && genomic.length === 1) {
      const count = this.features.count(slot);
      work.spend(count);
      return similarityOfGenotypes(this.features.likenessByGene(only, slot), 1, count);
    }
    return genotypeSimilarity(genomic, this.features.features(slot, by), work);
  }

  /** Whether the patient in a slot is one to compare: still there, and of one of these kinds. */
  isComparable(slot: number, kinds: ComparedKinds | undefined): boolean {
    return kinds?.[this.kindOf.at(slot)] === 1 && this.masses.at(slot) !== emptySlotMass;
  }

  /** The kinds of patients of a species, or those of them whose owner is wanted; undefined if there are none. */
  kindsOf(name: string, isWanted?: (owner: string | undefined) => boolean): ComparedKinds | undefined {
    const kinds = new Uint8Array(this.#kinds.length + 1);
    for (const [i, { species, owner }] of this.#kinds.entries()) {
      if (species === name && (isWanted === undefined || isWanted(owner))) kinds[i + 1] = 1;
    }
    return kinds.includes(1) ? kinds : undefined;
  }

  #kind(species: string, owner: string | undefined): number {
    const kind = this.#kindNumbers.intern(JSON.stringify([species, owner]));
    if (kind > this.#kinds.length) this.#kinds.push({ species, owner });
    return kind;
  }

  postings(term: number): GrowingArray<Uint32Array> | undefined {
    return this.#postings[term];
  }

  statedPostings(term: number): GrowingArray<Uint32Array> | undefined {
    return this.#statedPostings[term];
  }

  number(slot: number): number {
    return this.#numbers.at(slot);
  }

  id(slot: number): string {
    const [from, to] = [this.#ids.start(slot), this.#ids.start(slot + 1)];
    return Buffer.from(this.#ids.values.subarray(from, to)).toString();
  }

  /** Whether more than a fifth of the slots are empty. */
  get wasteful(): boolean {
    return this.slots > fewSlots && this.slots - this.#live > this.slots / 5;
  }

  /**
   * Takes out the empty slots, in portions: yields after each about how many steps (work.ts) it took. The index must not be
   * used until the last.
   */
  *compact(): Generator<number> {
    const numbers = new Uint32Array(this.slots);
    let kept = 0;
    for (let slot = 0; slot < this.slots; slot++) {
      numbers[slot] = this.masses.at(slot) === emptySlotMass ? dropped : kept++;
      if (slot % portion === portion - 1) yield portion;
    }
    const moved = (slot: number) => {
      const number = numbers[slot] as number;
      return number === dropped ? undefined : number;
    };
    for (const postings of [this.#postings, this.#statedPostings]) {
      for (const [term, list] of postings.entries()) {
        if (list === undefined) continue;
        yield list.length;
        compactSlots(list, numbers);
        if (list.length === 0) postings[term] = undefined;
      }
    }
    yield* this.features.compact(moved);
    yield* this.slotsByDisorder.remap(moved);
    yield* this.#slotsByNumber.remap(moved);
    yield* this.#slotsById.remap(moved);
    yield* this.#ids.compact(moved);
    yield* this.stated.compact(moved);
    for (let slot = 0; slot < numbers.length; slot++) {
      if (slot % portion === portion - 1) yield portion;
      const to = moved(slot);
      if (to === undefined) continue;
      this.masses.values[to] = this.masses.at(slot);
      this.kindOf.values[to] = this.kindOf.at(slot);
      this.#numbers.values[to] = this.#numbers.at(slot);
    }
    this.masses.truncate(kept);
    this.kindOf.truncate(kept);
    this.#numbers.truncate(kept);
  }

  /** Bytes of all that it keeps, the workspace of a search included. */
  get bytes(): number {
    const columns = [
      this.masses,
      this.#kindNumbers,
      this.kindOf,
      this.#numbers,
      this.#ids,
      this.#slotsByNumber,
      this.#slotsById,
    ];
    const parts = [...columns, this.features, this.slotsByDisorder, this.stated, this.#space];
    return (
      parts.reduce((sum, { bytes }) => sum + bytes, 0) +
      [...this.#postings, ...this.#statedPostings].reduce((sum, list) => sum + 8 + (list ? list.bytes + 200 : 0), 0)
    );
  }
}

/** By term; undefined if there are no slots. */
type Postings = (GrowingArray<Uint32Array> | undefined)[];

function appendPosting(postings: Postings, terms: Uint32Array, slot: number): void {
  for (const term of terms) {
    let list = postings[term];
    if (list === undefined) {
      list = growingNumbers();
      postings[term] = list;
    }
    list.push(slot);
  }
}

/** No client can choose ids that have the same hash. */
const seed = randomInt(2 ** 32);

/** FNV-1a (RFC 9923) over the units of UTF-16, from the seed on. */
function hashOf(text: string): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

const dropped = 2 ** 32 - 1;

function compactSlots(list: GrowingArray<Uint32Array>, numbers: Uint32Array): void {
  const { values, length } = list;
  let kept = 0;
  for (let i = 0; i < length; i++) {
    const number = numbers[values[i] as number] as number;
    if (number !== dropped) values[kept++] = number;
  }
  list.truncate(kept);
}
