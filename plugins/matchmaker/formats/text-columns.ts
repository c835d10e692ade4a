/** Columns of texts: their UTF-8 bytes one after the other, and the offset of each. */
import { bytes, type Column, type Columns, numbers } from './packed.js';

const decoder = new TextDecoder();
const encoder = new TextEncoder();

export function textColumns(name: string, texts: readonly string[]): Record<string, Column> {
  const offsets = new Uint32Array(texts.length + 1);
  const parts = texts.map((text) => encoder.encode(text));
  parts.forEach((part, i) => {
    offsets[i + 1] = (offsets[i] as number) + part.length;
  });
  const joined = new Uint8Array(offsets[texts.length] as number);
  parts.forEach((part, i) => {
    joined.set(part, offsets[i]);
  });
  return { [`${name}.bytes`]: joined, [`${name}.offsets`]: offsets };
}

/** Texts by number, decoded on access. */
export class Texts {
  readonly #bytes: Uint8Array;
  readonly #offsets: Uint32Array;

  constructor(columns: Columns, name: string) {
    this.#bytes = bytes(columns, `${name}.bytes`);
    this.#offsets = numbers(columns, `${name}.offsets`);
  }

  get length(): number {
    return this.#offsets.length - 1;
  }

  at(index: number): string {
    return decoder.decode(this.#part(index));
  }

  /** First and last + 1 index of a text in texts that are sorted by `byBytes`; equal if it is not among them. */
  range(text: string): [from: number, to: number] {
    const wanted = encoder.encode(text);
    const from = firstIndex(this.length, (i) => Buffer.compare(this.#part(i), wanted) >= 0);
    let to = from;
    while (to < this.length && Buffer.compare(this.#part(to), wanted) === 0) to++;
    return [from, to];
  }

  #part(index: number): Uint8Array {
    return this.#bytes.subarray(this.#offsets[index], this.#offsets[index + 1]);
  }
}

/** The order that `range` requires. */
export function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** First and last + 1 index of a number in ascending numbers; equal if it is not among them. */
export function rangeOf(ascending: Uint32Array, wanted: number): [from: number, to: number] {
  const from = firstIndex(ascending.length, (i) => (ascending[i] as number) >= wanted);
  let to = from;
  while (to < ascending.length && ascending[to] === wanted) to++;
  return [from, to];
}

/** The first index below `length` for which `holds` returns true, as it must for all that follow; else `length`. */
export function firstIndex(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
