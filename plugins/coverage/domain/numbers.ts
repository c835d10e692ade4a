/** A growing column of whole numbers below 2^32, which positions in D4 files are. */
export class Numbers {
  #values: Uint32Array;
  #length = 0;

  /** `room` is the expected length: growing beyond it takes up to three times the memory for a while. */
  constructor(room = 64) {
    this.#values = new Uint32Array(Math.max(1, room));
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Uint32Array(2 * this.#length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value;
  }

  /** The number at an index below `length`. */
  at(place: number): number {
    return this.#values[place] as number;
  }
}
