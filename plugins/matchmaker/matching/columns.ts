/** Columns that grow, of which the index of patients is made: numbers, numbers for texts, and lists of numbers for each slot. */

/** Stands for no entry. */
export const none = -1;

/** Entries that are remapped in one go. */
const entriesInOneGo = 4096;

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
      if (at % entriesInOneGo === entriesInOneGo - 1) yield entriesInOneGo;
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
      if (at % entriesInOneGo === entriesInOneGo - 1) yield entriesInOneGo;
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
const growingIntegers = () => new GrowingArray((length) => new Int32Array(length));
export const growingNumbers = () => new GrowingArray((length) => new Uint32Array(length));
export const growingFloats = () => new GrowingArray((length) => new Float64Array(length));

export class InternedTexts {
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

// A list of numbers for each slot, one after the other: terms, or the bytes of ids, in a tenth of the memory of strings.

/** Slots that are moved in one go. */
const slotsInOneGo = 4096;

export class SlotLists<Values extends Uint8Array | Uint32Array = Uint32Array> {
  /** Slot s has values[starts[s]] … values[starts[s + 1] − 1]. */
  readonly #values: GrowingArray<Values>;
  readonly #starts = growingNumbers();

  constructor(values: GrowingArray<Values>) {
    this.#values = values;
    this.#starts.push(0);
  }

  /** Appends the list of the next slot. */
  append(list: Iterable<number>): void {
    for (const value of list) this.#values.push(value);
    this.#starts.push(this.#values.length);
  }

  /** Valid below the end of the last slot, until a slot is appended or the lists are compacted. */
  get values(): Values {
    return this.#values.values;
  }

  /** Where the list of a slot begins; that of the slot before it ends there. */
  start(slot: number): number {
    return this.#starts.at(slot);
  }

  /** Keeps the slots that have a new number; these must ascend like the old ones. In portions, like `Multimap.remap`. */
  *compact(moved: (slot: number) => number | undefined): Generator<number> {
    const slots = this.#starts.length - 1;
    let [kept, size, from] = [0, 0, 0];
    for (let slot = 0; slot < slots; slot++) {
      if (slot % slotsInOneGo === slotsInOneGo - 1) yield slotsInOneGo;
      const to = this.#starts.at(slot + 1);
      if (moved(slot) !== undefined) {
        this.#values.values.copyWithin(size, from, to);
        size += to - from;
        this.#starts.values[++kept] = size;
      }
      from = to;
    }
    this.#values.truncate(size);
    this.#starts.truncate(kept + 1);
  }

  get bytes(): number {
    return this.#values.bytes + this.#starts.bytes;
  }
}
