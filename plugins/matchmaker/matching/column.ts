/** Typed arrays that grow. */

type Values = Uint8Array | Int32Array | Uint32Array | Float64Array;

/** What a column asks of growing: a quarter more, so that little of a large index is empty. */
const growth = 1.25;

export class Column<Array extends Values> {
  /** Valid below `length`. Another array after a push: not to be kept. */
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

  /** Shortens it; the memory is given back. */
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

export const bytesColumn = () => new Column((length) => new Uint8Array(length));
export const signedColumn = () => new Column((length) => new Int32Array(length));
export const numberColumn = () => new Column((length) => new Uint32Array(length));
export const wideColumn = () => new Column((length) => new Float64Array(length));
