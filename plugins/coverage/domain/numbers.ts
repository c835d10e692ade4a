/** A growing column of whole numbers below 2^32, which positions in D4 files are. */
const firstRoom = 64;

export class Numbers {
  #values = new Uint32Array(firstRoom);
  #length = 0;

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
