/** What a search notes of each slot. One search at a time may use it. */
import type { Information, Profile } from './profile.js';
import type { SlotLists } from './slot-lists.js';
import type { Work } from './work.js';

/** The slot belongs to a relative: a patient that shares a gene, a position or a disorder. */
export const isRelative = 1;
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
