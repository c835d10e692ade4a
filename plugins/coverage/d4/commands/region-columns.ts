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

function placesOf(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.map((name, place) => [name, place]));
}
