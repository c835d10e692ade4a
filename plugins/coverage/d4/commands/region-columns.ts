/** Regions in columns: of hundreds of thousands, objects would take longer to keep than their bases to measure. */
import type { Interval, Intervals } from '../interval.js';

/** A list of regions; those of one chromosome share its name. */
export class Regions implements Intervals {
  readonly length: number;
  readonly #names: readonly string[];
  /** Of each region, which of the names is its chromosome. */
  readonly #chromosomes: Uint32Array;
  readonly #begins: Float64Array;
  readonly #ends: Float64Array;

  constructor(names: readonly string[], chromosomes: Uint32Array, begins: Float64Array, ends: Float64Array) {
    this.length = chromosomes.length;
    this.#names = names;
    this.#chromosomes = chromosomes;
    this.#begins = begins;
    this.#ends = ends;
  }

  static of(intervals: readonly Interval[]): Regions {
    const names = [...new Set(intervals.map(({ chromosome }) => chromosome))];
    const places = placesOf(names);
    return new Regions(
      names,
      Uint32Array.from(intervals, ({ chromosome }) => places.get(chromosome) as number),
      Float64Array.from(intervals, ({ begin }) => begin),
      Float64Array.from(intervals, ({ end }) => end),
    );
  }

  at(place: number): Interval | undefined {
    if (place >= this.length) return undefined;
    const chromosome = this.#names[this.#chromosomes[place] as number] as string;
    return { chromosome, begin: this.#begins[place] as number, end: this.#ends[place] as number };
  }

  *[Symbol.iterator](): Generator<Interval> {
    for (let i = 0; i < this.length; i++) yield this.at(i) as Interval;
  }

  /** By chromosome in the order of `compare`, then by begin and end. Also where the regions of each chromosome are then. */
  sorted(compare: (one: string, other: string) => number): { regions: Regions; stretches: Stretch[] } {
    const [chromosomes, begins, ends] = [this.#chromosomes, this.#begins, this.#ends];
    const names = this.#names.toSorted(compare);
    const places = placesOf(names);
    const ranks = Uint32Array.from(this.#names, (name) => places.get(name) as number);
    const counts = new Uint32Array(names.length);
    for (let i = 0; i < this.length; i++) {
      const rank = ranks[chromosomes[i] as number] as number;
      counts[rank] = (counts[rank] as number) + 1;
    }
    let to = 0;
    const stretches = names.map((name, rank) => {
      const from = to;
      to += counts[rank] as number;
      return { name, from, to };
    });
    const order = new Uint32Array(this.length);
    const next = Uint32Array.from(stretches, (stretch) => stretch.from);
    for (let i = 0; i < this.length; i++) {
      const rank = ranks[chromosomes[i] as number] as number;
      const at = next[rank] as number;
      order[at] = i;
      next[rank] = at + 1;
    }
    const compared = (a: number, b: number) =>
      (begins[a] as number) - (begins[b] as number) || (ends[a] as number) - (ends[b] as number);
    for (const { from, to } of stretches) {
      const own = order.subarray(from, to);
      // As those of most BED files are.
      let ascends = true;
      for (let i = 1; i < own.length && ascends; i++) ascends = compared(own[i - 1] as number, own[i] as number) <= 0;
      if (!ascends) own.sort(compared);
    }
    const regions = new Regions(
      this.#names,
      order.map((i) => chromosomes[i] as number),
      Float64Array.from(order, (i) => begins[i] as number),
      Float64Array.from(order, (i) => ends[i] as number),
    );
    return { regions, stretches };
  }
}

/** The regions [from, to) of one chromosome. */
export interface Stretch {
  name: string;
  from: number;
  to: number;
}

const newline = 10;
const carriage = 13;
const tab = 9;
const zero = 48;

/** Reads regions line by line. */
export class RegionReader {
  readonly #bytes: Buffer;
  #at = 0;
  readonly #names: string[] = [];
  readonly #numbers = new Map<string, number>();
  /** The chromosome of the last region, and its name in bytes. */
  #chromosome = 0;
  #name: Buffer = Buffer.alloc(0);
  #count = 0;
  #chromosomes = new Uint32Array(1024);
  #begins = new Float64Array(1024);
  #ends = new Float64Array(1024);

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /**
   * Reads whole lines as far as they are plain: of the last chromosome, with an end that is not less than the begin. Returns
   * how many.
   */
  readPlain(): number {
    const bytes = this.#bytes;
    const name = this.#name;
    const before = this.#count;
    if (name.length === 0) return 0;
    lines: for (;;) {
      let i = this.#at;
      for (let k = 0; k < name.length; k++, i++) if (bytes[i] !== name[k]) break lines;
      if (bytes[i++] !== tab) break;
      const first = i;
      let begin = 0;
      for (let digit = digitAt(bytes, i); digit < 10; digit = digitAt(bytes, ++i)) begin = begin * 10 + digit;
      if (i === first || bytes[i++] !== tab) break;
      const second = i;
      let end = 0;
      for (let digit = digitAt(bytes, i); digit < 10; digit = digitAt(bytes, ++i)) end = end * 10 + digit;
      if (i === second || end < begin) break;
      if (bytes[i] === tab) while (i < bytes.length && bytes[i] !== newline) i++;
      else if (bytes[i] === carriage) i++;
      if (bytes[i] !== newline) break;
      this.#push(begin, end);
      this.#at = i + 1;
    }
    return this.#count - before;
  }

  /** The next line as text, without its end; undefined after the last. */
  takeLine(): string | undefined {
    const bytes = this.#bytes;
    if (this.#at >= bytes.length) return undefined;
    const found = bytes.indexOf(newline, this.#at);
    const to = found < 0 ? bytes.length : found;
    const line = bytes.toString('utf8', this.#at, bytes[to - 1] === carriage ? to - 1 : to);
    this.#at = to + 1;
    return line;
  }

  add(chromosome: string, begin: number, end: number): void {
    let number = this.#numbers.get(chromosome);
    if (number === undefined) {
      number = this.#names.push(chromosome) - 1;
      this.#numbers.set(chromosome, number);
    }
    this.#chromosome = number;
    this.#name = Buffer.from(chromosome);
    this.#push(begin, end);
  }

  #push(begin: number, end: number): void {
    if (this.#count === this.#chromosomes.length) this.#grow();
    this.#chromosomes[this.#count] = this.#chromosome;
    this.#begins[this.#count] = begin;
    this.#ends[this.#count] = end;
    this.#count++;
  }

  #grow(): void {
    const [chromosomes, begins, ends] = [this.#chromosomes, this.#begins, this.#ends];
    this.#chromosomes = new Uint32Array(2 * this.#count);
    this.#begins = new Float64Array(2 * this.#count);
    this.#ends = new Float64Array(2 * this.#count);
    this.#chromosomes.set(chromosomes);
    this.#begins.set(begins);
    this.#ends.set(ends);
  }

  finish(): Regions {
    const part = <T extends Uint32Array | Float64Array>(column: T) => column.subarray(0, this.#count) as T;
    return new Regions(this.#names, part(this.#chromosomes), part(this.#begins), part(this.#ends));
  }
}

/** The digit at a position; 10 or more for any other byte. */
function digitAt(bytes: Buffer, i: number): number {
  const digit = (bytes[i] ?? tab) - zero;
  return digit < 0 ? 10 : digit;
}

function placesOf(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.map((name, place) => [name, place]));
}
