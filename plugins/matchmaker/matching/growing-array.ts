/** Typed arrays that grow. */

type Values = Uint8Array | Int32Array | Uint32Array | Float64Array;

/** A quarter more each time, so that little of a large index is unused. */
const growth = 1.25;

export class GrowingArray<Array extends Values> {
  /** Valid below `length`. A push may replace the array: do not keep it. */
  values: Array;
  length = 0;
  readonly #make: (length: number) => Array;

  constructor(make: (length: number) => Array) {
    this.#make = make;
    this.values = make(0);
  }

  push(value: number): void {
    if (this.length === this.values.length) this.#resize(Math.ceil(this.length * growth) + 4);
    this.values[this.length++] = value;
  }

  at(index: number): number {
    return this.values[index] as number;
  }

  /** Shortens it and releases the memory. */
  truncate(length: number): void {
    this.length = length;
    this.#resize(length);
  }

  get bytes(): number {
    return this.values.byteLength;
  }

  #resize(capacity: number): void {
    const grown = this.#make(capacity);
    grown.set(this.values.subarray(0, this.length));
    this.values = grown;
  }
}

export const growingBytes = () => new GrowingArray((length) => new Uint8Array(length));
export const growingIntegers = () => new GrowingArray((length) => new Int32Array(length));
export const growingNumbers = () => new GrowingArray((length) => new Uint32Array(length));
export const growingFloats = () => new GrowingArray((length) => new Float64Array(length));

export class Interned {
  readonly #numbers = new Map<string, number>();
  #characters = 0;

  /** The number of a text, a new one if it has none yet. */
  intern(text: string): number {
    const found = this.#numbers.get(text);
    if (found !== undefined) return found;
    this.#numbers.set(text, this.#numbers.size + 1);
    this.#characters += text.length;
    return this.#numbers.size;
  }

  find(text: string): number | undefined {
    return this.#numbers.get(text);
  }

  /** An estimate: an entry of a map, and its text. */
  get bytes(): number {
    return this.#numbers.size * 64 + this.#characters;
  }
}
