/** Counts bases by value, for one piece or for all of them together. */
import type { Dictionary } from '../dictionary.js';
import { type Kernel, unpackCodes } from '../kernel/kernel.js';
import { ascending, type Histogram } from './histogram.js';

/** The counts of some bases by value. Empty again once they are taken. */
export class ValueCounts {
  readonly #dictionary: Dictionary;
  readonly #kernel: Kernel;
  /** By code; undefined if all bases are counted by value. */
  readonly #codes: Float64Array | undefined;
  readonly #values = new Map<number, number>();
  /** Bases under records, all of which were counted as the dictionary's fallback. */
  #covered = 0;

  constructor(dictionary: Dictionary, kernel: Kernel, { byCode }: { byCode: boolean }) {
    this.#dictionary = dictionary;
    this.#kernel = kernel;
    this.#codes = byCode ? new Float64Array(dictionary.mask + 1) : undefined;
  }

  /** Whether codes are counted, and their values looked up at the end. */
  get byCode(): boolean {
    return this.#codes !== undefined;
  }

  /** Adds codes [first, first + count) of the window; for width 0, `count` times the only value. */
  addCodes(first: number, count: number): void {
    const { width, values } = this.#dictionary;
    const codes = this.#codes;
    if (width === 0) this.#add(values[0] as number, count);
    else if (codes) this.#kernel.histogram(width, first, count, codes);
    else {
      for (let from = 0; from < count; from += unpackCodes) {
        for (const code of this.#kernel.unpack(width, first + from, Math.min(unpackCodes, count - from))) {
          this.#add(values[code] as number, 1);
        }
      }
    }
  }

  /** Corrects the counts by a record of this many bases; fewer than none subtract what was added before. */
  addRecord(value: number, bases: number): void {
    this.#covered += bases;
    this.#add(value, bases);
  }

  /** Returns the counts, and begins with none again. */
  take(): Histogram {
    const { low } = this.#dictionary;
    // Most pieces have no record: their codes are in order already.
    const inOrder = this.#codes && low !== undefined && this.#values.size === 0;
    const found = inOrder ? histogramOf(this.#codes, low) : this.#byValue();
    this.#codes?.fill(0);
    return found;
  }

  #byValue(): Histogram {
    const { values, fallback } = this.#dictionary;
    const codes = this.#codes;
    for (let code = 0; codes !== undefined && code < codes.length; code++) {
      const count = codes[code] as number;
      if (count !== 0) this.#add(values[code] as number, count);
    }
    if (this.#covered > 0) this.#add(fallback, -this.#covered);
    const found = ascending(this.#values);
    this.#values.clear();
    this.#covered = 0;
    return found;
  }

  #add(value: number, bases: number): void {
    this.#values.set(value, (this.#values.get(value) ?? 0) + bases);
  }
}

/** The histogram of codes whose values ascend by one from `low`. */
function histogramOf(codes: Float64Array, low: number): Histogram {
  let length = 0;
  for (let code = 0; code < codes.length; code++) if (codes[code] !== 0) length++;
  const [values, counts] = [new Int32Array(length), new Float64Array(length)];
  let at = 0;
  for (let code = 0; at < length; code++) {
    const count = codes[code] as number;
    if (count === 0) continue;
    values[at] = low + code;
    counts[at++] = count;
  }
  return { values, counts };
}
