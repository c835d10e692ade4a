/** The terms that each slot states, one list after the other. */
import { growingNumbers } from './growing-array.js';

/** Slots that are moved in one go. */
const portion = 4096;

export class TermLists {
  /** Slot s has terms[starts[s]] … terms[starts[s + 1] − 1]. */
  readonly #terms = growingNumbers();
  readonly #starts = growingNumbers();

  constructor() {
    this.#starts.push(0);
  }

  /** Appends the terms of the next slot. */
  append(terms: Uint32Array): void {
    for (const term of terms) this.#terms.push(term);
    this.#starts.push(this.#terms.length);
  }

  /** Valid below the end of the last slot, until a slot is appended or the lists are compacted. */
  get terms(): Uint32Array {
    return this.#terms.values;
  }

  /** Where the terms of a slot begin; those of the slot before it end there. */
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
        this.#terms.values.copyWithin(size, from, to);
        size += to - from;
        this.#starts.values[++kept] = size;
      }
      from = to;
    }
    this.#terms.truncate(size);
    this.#starts.truncate(kept + 1);
  }

  get bytes(): number {
    return this.#terms.bytes + this.#starts.bytes;
  }
}
