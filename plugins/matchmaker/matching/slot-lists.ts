/** A list of numbers for each slot, one after the other: terms, or the bytes of ids, in a tenth of the memory of strings. */
import { type GrowingArray, growingNumbers } from './multimap.js';

/** Slots that are moved in one go. */
const portion = 4096;

export class SlotLists<Values extends Uint8Array | Uint32Array = Uint32Array> {
  /** Slot s has values[starts[s]] … values[starts[s + 1] − 1]. */
  readonly #values: GrowingArray<Values>;
  readonly #starts = growingNumbers();

  constructor(values: GrowingArray<Values>) {
    this.#values = values;
    this.#starts.push(0);
  }

  /** Appends the list of the next slot. */
  append(list: Iterable<number>): void {
    for (const value of list) this.#values.push(value);
    this.#starts.push(this.#values.length);
  }

  /** Valid below the end of the last slot, until a slot is appended or the lists are compacted. */
  get values(): Values {
    return this.#values.values;
  }

  /** Where the list of a slot begins; that of the slot before it ends there. */
  start(slot: number): number {
    return this.#starts.at(slot);
  }

  /** Keeps the slots that have a new number; these must ascend like the old ones. In portions, like `Multimap.remap`. */
  *compact(moved: (slot: number) => number | undefined): Generator<number> {
    const slots = this.#starts.length - 1;
    let [kept, size, from] = [0, 0, 0];
    for (let slot = 0; slot < slots; slot++) {
      if (slot % portion === portion - 1) yield portion;
      const to = this.#starts.at(slot + 1);
      if (moved(slot) !== undefined) {
        this.#values.values.copyWithin(size, from, to);
        size += to - from;
        this.#starts.values[++kept] = size;
      }
      from = to;
    }
    this.#values.truncate(size);
    this.#starts.truncate(kept + 1);
  }

  get bytes(): number {
    return this.#values.bytes + this.#starts.bytes;
  }
}
