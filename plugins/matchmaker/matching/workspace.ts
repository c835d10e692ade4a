/** What a search notes of each slot. One search at a time may use it. */
import type { Information } from './profile.js';
import { SharedTerms } from './shared-terms.js';
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
