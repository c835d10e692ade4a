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

  /** Every base once, as `union` returns them. */
  union(): RegionColumns {
    const found = new RegionColumns(this.length);
    for (const places of this.#byChromosome()) {
      const start = this.#start;
      const isSorted = places.every((place, i) => i === 0 || before(start, places[i - 1] as number, place) <= 0);
      if (!isSorted) places.sort((a, b) => before(start, a, b));
      for (const region of joined(this.#regions(places))) found.push(region);
    }
    return found;
  }

  *#regions(places: Uint32Array): Generator<Region> {
    for (const place of places) yield this.at(place) as Region;
  }

  /** Indexes of the regions of each chromosome. */
  #byChromosome(): Uint32Array[] {
    const counts = new Uint32Array(this.chromosomes.length);
    for (let i = 0; i < this.length; i++) {
      const ordinal = this.#chromosome.at(i);
      counts[ordinal] = (counts[ordinal] as number) + 1;
    }
    const places = Array.from(counts, (count) => new Uint32Array(count));
    const filled = new Uint32Array(this.chromosomes.length);
    for (let i = 0; i < this.length; i++) {
      const ordinal = this.#chromosome.at(i);
      const at = filled[ordinal] as number;
      (places[ordinal] as Uint32Array)[at] = i;
      filled[ordinal] = at + 1;
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

function before(start: Numbers, a: number, b: number): number {
  return start.at(a) - start.at(b);
}
