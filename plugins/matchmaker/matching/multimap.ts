/** A map from numbers (whole, 0 … 2⁵³ − 1) to several 32-bit numbers each, in typed arrays: a chained hash table. */
import { growingFloats, growingIntegers, growingNumbers } from './growing-array.js';

/** Stands for no entry. */
export const none = -1;

/** Entries that are remapped in one go. */
const portion = 4096;

export class Multimap {
  readonly #keys = growingFloats();
  readonly #values = growingNumbers();
  readonly #next = growingIntegers();
  #heads = new Int32Array(16).fill(none);

  add(key: number, value: number): void {
    if (this.#keys.length === this.#heads.length) this.#widen();
    const bucket = this.#bucket(key);
    this.#next.push(this.#heads[bucket] as number);
    this.#heads[bucket] = this.#keys.length;
    this.#keys.push(key);
    this.#values.push(value);
  }

  /** The value that was added last; undefined if the key has none. */
  newest(key: number): number | undefined {
    const at = this.first(key);
    return at === none ? undefined : this.#values.at(at);
  }

  /** The values of a key, newest first. Those that are added meanwhile are not among them; it must not be remapped. */
  *values(key: number): Generator<number> {
    for (let at = this.first(key); at !== none; at = this.after(at)) yield this.value(at);
  }

  /** The newest entry of a key, for readers of many; `none` if it has none. */
  first(key: number): number {
    return this.#from(this.#heads[this.#bucket(key)] as number, key);
  }

  /** The entry of the same key that was added before this one, or `none`. */
  after(entry: number): number {
    return this.#from(this.#next.at(entry), this.#keys.at(entry));
  }

  value(entry: number): number {
    return this.#values.at(entry);
  }

  /**
   * Replaces each value by what the function returns, and removes entries for which it returns undefined. In portions:
   * yields after each how many entries it went through. The map must not be used until the last.
   */
  *remap(change: (value: number) => number | undefined): Generator<number> {
    let kept = 0;
    for (let at = 0; at < this.#keys.length; at++) {
      if (at % portion === portion - 1) yield portion;
      const value = change(this.#values.at(at));
      if (value === undefined) continue;
      this.#keys.values[kept] = this.#keys.at(at);
      this.#values.values[kept++] = value;
    }
    this.#keys.truncate(kept);
    this.#values.truncate(kept);
    this.#next.truncate(kept);
    this.#heads.fill(none);
    for (let at = 0; at < kept; at++) {
      if (at % portion === portion - 1) yield portion;
      this.#chain(at);
    }
  }

  get bytes(): number {
    return this.#keys.bytes + this.#values.bytes + this.#next.bytes + this.#heads.byteLength;
  }

  /** The first entry of the key in a chain, from this one on. */
  #from(entry: number, key: number): number {
    let at = entry;
    while (at !== none && this.#keys.at(at) !== key) at = this.#next.at(at);
    return at;
  }

  #bucket(key: number): number {
    const low = key >>> 0;
    const high = Math.floor(key / 2 ** 32);
    let mixed = Math.imul(low ^ Math.imul(high + 1, 0x9e3779b1), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) & (this.#heads.length - 1);
  }

  #widen(): void {
    this.#heads = new Int32Array(this.#heads.length * 2).fill(none);
    for (let at = 0; at < this.#keys.length; at++) this.#chain(at);
  }

  #chain(at: number): void {
    const bucket = this.#bucket(this.#keys.at(at));
    this.#next.values[at] = this.#heads[bucket] as number;
    this.#heads[bucket] = at;
  }
}
