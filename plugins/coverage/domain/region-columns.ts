/** Very many regions in columns, which take a small part of the memory of objects. */
import type { List } from './list.js';
import { Numbers } from './numbers.js';
import { joined, type Region } from './region.js';

export class RegionColumns implements List<Region> {
  /** In order of appearance. */
  readonly chromosomes: string[] = [];
  readonly #ordinals = new Map<string, number>();
  readonly #chromosome: Numbers;
  readonly #start: Numbers;
  readonly #end: Numbers;

  /** `room` is the expected number of regions. */
  constructor(room?: number) {
    this.#chromosome = new Numbers(room);
    this.#start = new Numbers(room);
    this.#end = new Numbers(room);
  }

  get length(): number {
    return this.#start.length;
  }

  push({ chromosome, start, end }: Region): void {
    this.#chromosome.push(this.#ordinalOf(chromosome));
    this.#start.push(start);
    this.#end.push(end);
  }

  at(place: number): Region | undefined {
    if (!(place >= 0 && place < this.length)) return undefined;
    return {
      chromosome: this.chromosomes[this.#chromosome.at(place)] as string,
      start: this.#start.at(place),
      end: this.#end.at(place),
    };
  }

  *[Symbol.iterator](): Generator<Region> {
    for (let place = 0; place < this.length; place++) yield this.at(place) as Region;
  }

  /** Every base of the regions from an index on once, as `union` returns them. */
  union(from = 0): RegionColumns {
    const found = new RegionColumns(this.length - from);
    for (const places of this.#sorted(from)) for (const region of joined(this.#regions(places))) found.push(region);
    return found;
  }

  /** Every region once, by chromosome and start, and of each region its index among them: its own if `places` is omitted. */
  distinct(): { regions: RegionColumns; places?: Uint32Array } {
    if (this.#ascends()) return { regions: this };
    const regions = new RegionColumns(this.length);
    const places = new Uint32Array(this.length);
    for (const own of this.#sorted(0)) {
      /** Of the regions with one start, by their ends. */
      const known = new Map<number, number>();
      let last = -1;
      for (const place of own) {
        const region = this.at(place) as Region;
        if (region.start !== last) known.clear();
        last = region.start;
        const at = known.get(region.end) ?? regions.length;
        if (at === regions.length) regions.push(region);
        known.set(region.end, at);
        places[place] = at;
      }
    }
    return { regions, places };
  }

  /** Whether no two begin at one base, and all are sorted by chromosome and start. */
  #ascends(): boolean {
    for (let i = 1; i < this.length; i++) {
      const step = this.#chromosome.at(i) - this.#chromosome.at(i - 1);
      if (step < 0 || (step === 0 && this.#start.at(i) <= this.#start.at(i - 1))) return false;
    }
    return true;
  }

  *#regions(places: Uint32Array): Generator<Region> {
    for (const place of places) yield this.at(place) as Region;
  }

  /** Indexes, from this one on, of the regions of each chromosome, by start. */
  #sorted(from: number): Uint32Array[] {
    const counts = new Uint32Array(this.chromosomes.length);
    for (let i = from; i < this.length; i++) {
      const ordinal = this.#chromosome.at(i);
      counts[ordinal] = (counts[ordinal] as number) + 1;
    }
    const places = Array.from(counts, (count) => new Uint32Array(count));
    const filled = new Uint32Array(this.chromosomes.length);
    for (let i = from; i < this.length; i++) {
      const ordinal = this.#chromosome.at(i);
      const at = filled[ordinal] as number;
      (places[ordinal] as Uint32Array)[at] = i;
      filled[ordinal] = at + 1;
    }
    const start = this.#start;
    for (const own of places) {
      if (own.every((place, i) => i === 0 || start.at(own[i - 1] as number) <= start.at(place))) continue;
      // Sorting numbers, with the index in the low digits, is many times faster than sorting with a comparison function.
      const keys = Float64Array.from(own, (place) => start.at(place) * this.length + place).sort();
      for (let i = 0; i < own.length; i++) own[i] = (keys[i] as number) % this.length;
    }
    return places;
  }

  #ordinalOf(chromosome: string): number {
    const known = this.#ordinals.get(chromosome);
    if (known !== undefined) return known;
    this.#ordinals.set(chromosome, this.chromosomes.length);
    return this.chromosomes.push(chromosome) - 1;
  }
}
