/** Ids of patients as bytes, one after the other, in a tenth of the memory of strings. */
import { growingBytes, growingNumbers } from './growing-array.js';

/** Ids that are moved in one go. */
const portion = 4096;

export class IdList {
  readonly #bytes = growingBytes();
  readonly #starts = growingNumbers();

  constructor() {
    this.#starts.push(0);
  }

  append(id: string): void {
    for (const byte of Buffer.from(id)) this.#bytes.push(byte);
    this.#starts.push(this.#bytes.length);
  }

  at(index: number): string {
    return Buffer.from(this.#view(index)).toString();
  }

  /** Keeps the ids that have a new number; these must ascend like the old ones. In portions, like `Multimap.remap`. */
  *compact(moved: (index: number) => number | undefined): Generator<number> {
    const length = this.#starts.length - 1;
    let [kept, size, from] = [0, 0, 0];
    for (let index = 0; index < length; index++) {
      if (index % portion === portion - 1) yield portion;
      const to = this.#starts.at(index + 1);
      if (moved(index) !== undefined) {
        this.#bytes.values.copyWithin(size, from, to);
        size += to - from;
        this.#starts.values[++kept] = size;
      }
      from = to;
    }
    this.#bytes.truncate(size);
    this.#starts.truncate(kept + 1);
  }

  get bytes(): number {
    return this.#bytes.bytes + this.#starts.bytes;
  }

  #view(index: number): Uint8Array {
    return this.#bytes.values.subarray(this.#starts.at(index), this.#starts.at(index + 1));
  }
}
