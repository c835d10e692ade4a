/** What a search notes of each slot. One search at a time may use it. */
import type { Work } from './work.js';

/** The slot belongs to a relative: a patient that shares a gene, a position or a disorder. */
export const isRelative = 1;
const isChosen = 2;

/** Up to so many slots are sorted in one go. */
const few = 4096;

export class Workspace {
  /** By slot: information shared with the query, as far as it is added up. */
  shared = new Float64Array();
  /** By slot. */
  flags = new Uint8Array();
  /** The slots that share anything with the query: relatives, then the others in the order in which they were met. */
  met = new Uint32Array();
  count = 0;

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
  }

  /** The same slots, each of them once, in ascending order. */
  async ascending(slots: Uint32Array, work: Work): Promise<Uint32Array> {
    if (slots.length <= few) {
      work.spend(slots.length * Math.ceil(Math.log2(slots.length + 1)));
      return slots.sort();
    }
    // Marking them and reading all marks takes a time that can be divided; sorting does not.
    const { flags } = this;
    await work.each(slots.length, 1, (from, to) => {
      for (let i = from; i < to; i++) flags[slots[i] as number] = (flags[slots[i] as number] as number) | isChosen;
    });
    const sorted = new Uint32Array(slots.length);
    let count = 0;
    await work.each(flags.length, 1, (from, to) => {
      for (let slot = from; slot < to; slot++) {
        const flag = flags[slot] as number;
        if ((flag & isChosen) === 0) continue;
        flags[slot] = flag & ~isChosen;
        sorted[count++] = slot;
      }
    });
    return sorted;
  }

  get bytes(): number {
    return this.shared.byteLength + this.flags.byteLength + this.met.byteLength;
  }
}
