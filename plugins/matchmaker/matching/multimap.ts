/** A map from numbers (whole, 0 … 2⁵³ − 1) to several 32-bit numbers each, in typed arrays: a chained hash table. */
import { numberColumn, signedColumn, wideColumn } from './column.js';

const none = -1;

/**
 * Entries of a key are visited with a cursor: `for (let at = map.first(key); at >= 0; at = map.next(at)) map.value(at)`,
 * newest first. Adding invalidates no cursor.
 */
export class Multimap {
  readonly #keys = wideColumn();
  readonly #values = numberColumn();
  readonly #next = signedColumn();
  #heads = new Int32Array(16).fill(none);

  add(key: number, value: number): void {
    if (this.#keys.length === this.#heads.length) this.#widen();
    const bucket = this.#bucket(key);
    this.#next.push(this.#heads[bucket] as number);
    this.#heads[bucket] = this.#keys.length;
    this.#keys.push(key);
    this.#values.push(value);
  }

  first(key: number): number {
    return this.#skip(this.#heads[this.#bucket(key)] as number, key);
  }

  next(at: number): number {
    return this.#skip(this.#next.at(at), this.#keys.at(at));
  }

  value(at: number): number {
    return this.#values.at(at);
  }

  /** Replaces each value by what the function says, and takes out entries for which it says undefined. */
  remap(change: (value: number) => number | undefined): void {
    let kept = 0;
    for (let at = 0; at < this.#keys.length; at++) {
      const value = change(this.#values.at(at));
      if (value === undefined) continue;
      this.#keys.values[kept] = this.#keys.at(at);
      this.#values.values[kept++] = value;
    }
    this.#keys.truncate(kept);
    this.#values.truncate(kept);
    this.#next.truncate(kept);
    this.#chain(this.#heads.length);
  }

  get bytes(): number {
    return this.#keys.bytes + this.#values.bytes + this.#next.bytes + this.#heads.byteLength;
  }

  #skip(from: number, key: number): number {
    let at = from;
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
    this.#chain(this.#heads.length * 2);
  }

  #chain(buckets: number): void {
    this.#heads = new Int32Array(buckets).fill(none);
    for (let at = 0; at < this.#keys.length; at++) {
      const bucket = this.#bucket(this.#keys.at(at));
      this.#next.values[at] = this.#heads[bucket] as number;
      this.#heads[bucket] = at;
    }
  }
}
