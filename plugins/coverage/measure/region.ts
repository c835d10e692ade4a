/**
 * Regions of chromosomes, zero-based half-open, and their union; very many of them as lists and in columns, which take a small
 * part of the memory of objects.
 */
import type { Interval } from '../d4/index.js';

export interface Region {
  /** As the interval set, the BED file or the request writes it; matched to the D4 file's own name when measured. */
  chromosome: string;
  start: number;
  end: number;
}

/** Every base once: ascending by chromosome (in order of appearance) and start, touching regions joined. */
export function union(regions: readonly Region[]): Region[] {
  return [...byChromosome(regions).values()].flatMap((own) => [
    ...joinedRegions(own.toSorted((a, b) => a.start - b.start)),
  ]);
}

function byChromosome(regions: Iterable<Region>): Map<string, Region[]> {
  return groupedBy(regions, ({ chromosome }) => chromosome);
}

/** The items of each key, in the order of the first of each. */
export function groupedBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Joins overlapping and touching regions of one chromosome, which come sorted by start. */
export function* joinedRegions(regions: Iterable<Region>): Generator<Region> {
  let last: Region | undefined;
  for (const { chromosome, start, end } of regions) {
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else {
      if (last !== undefined) yield last;
      last = { chromosome, start, end };
    }
  }
  if (last !== undefined) yield last;
}

/** What is left of regions without others; both have every base once and are sorted within each chromosome. */
export function* difference(regions: Iterable<Region>, removed: Iterable<Region>): Generator<Region> {
  const holes = byChromosome(removed);
  const next = new Map<string, number>();
  for (const { chromosome, start, end } of regions) {
    const own = holes.get(chromosome) ?? [];
    let at = next.get(chromosome) ?? 0;
    let from = start;
    for (; at < own.length && (own[at] as Region).start < end; at++) {
      const hole = own[at] as Region;
      if (hole.start > from) yield { chromosome, start: from, end: hole.start };
      from = Math.max(from, hole.end);
      // It may reach into the next region.
      if (hole.end > end) break;
    }
    next.set(chromosome, at);
    if (from < end) yield { chromosome, start: from, end };
  }
}

/** Bases of regions that do not overlap. */
export function lengthOfRegions(regions: Iterable<Region>): number {
  let bases = 0;
  for (const { start, end } of regions) bases += end - start;
  return bases;
}

export function isOnY({ chromosome }: Region): boolean {
  return /^(?:chr)?Y$/i.test(chromosome);
}

/** A list that may create each member when it is read, so that very many never exist at once. Arrays are such lists. */
export interface List<Member> extends Iterable<Member> {
  readonly length: number;
  /** The member at an index from 0; undefined beyond the end. */
  at(place: number): Member | undefined;
}

/** A list that holds no members: `make` creates the one at an index each time it is read. */
export function lazyList<Member>(length: number, make: (place: number) => Member): List<Member> {
  return {
    length,
    at: (place) => (place >= 0 && place < length ? make(place) : undefined),
    *[Symbol.iterator]() {
      for (let place = 0; place < length; place++) yield make(place);
    },
  };
}

/** The list with each member changed when it is read. */
export function mappedList<From, To>(list: List<From>, change: (member: From, place: number) => To): List<To> {
  return lazyList(list.length, (place) => change(list.at(place) as From, place));
}

/** Pairs of index and member. */
export function* numberedMembers<Member>(list: List<Member>): Generator<[number, Member]> {
  let place = 0;
  for (const member of list) yield [place++, member];
}

// Very many regions in columns, which take a small part of the memory of objects.

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
    for (const places of this.#sorted(from))
      for (const region of joinedRegions(this.#regions(places))) found.push(region);
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

/** A growing column of whole numbers below 2^32, which positions in D4 files are. */
export class Numbers {
  #values: Uint32Array;
  #length = 0;

  /** `room` is the expected length: growing beyond it takes up to three times the memory for a while. */
  constructor(room = 64) {
    this.#values = new Uint32Array(Math.max(1, room));
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Uint32Array(2 * this.#length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value;
  }

  /** The number at an index below `length`. */
  at(place: number): number {
    return this.#values[place] as number;
  }
}

// The regions that a file has, as intervals of it.

interface IntervalsIn {
  intervals: List<Interval>;
  /** Of each interval, the index of its region. */
  places: Uint32Array;
}

/** Leaves out regions on chromosomes that the file lacks. `names` are the file's own names for the others. */
export function intervalsIn(regions: List<Region>, names: ReadonlyMap<string, string>): IntervalsIn {
  const places = new Uint32Array(regions.length);
  let [place, count] = [0, 0];
  for (const { chromosome } of regions) {
    if (names.has(chromosome)) places[count++] = place;
    place += 1;
  }
  const intervals = lazyList(count, (i): Interval => {
    const { chromosome, start, end } = regions.at(places[i] as number) as Region;
    return { chromosome: names.get(chromosome) as string, begin: start, end };
  });
  return { intervals, places: places.subarray(0, count) };
}

/** The median of numbers; the mean of the two in the middle if they are even in number. Undefined if there are none. */
export function medianOfValues(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  const sorted = Float64Array.from(values).sort();
  const [low, high] = [(sorted.length - 1) >> 1, sorted.length >> 1];
  return ((sorted[low] as number) + (sorted[high] as number)) / 2;
}
