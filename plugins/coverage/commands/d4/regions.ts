/**
 * The regions that commands work on: BED files, `chr:begin-end`, or the whole genome. They are columns, since hundreds of
 * thousands of objects would take longer to keep than their bases to measure.
 */
import { chromosomeIndex, D4Error, type D4Track, type Interval, type IntervalList } from '../../d4/index.js';
import type { D4Io } from './command.js';

/** Every chromosome from end to end. */
export function wholeGenome({ chromosomes }: D4Track): Interval[] {
  return chromosomes.map(({ name, size }) => ({ chromosome: name, begin: 0, end: size }));
}

/** The regions of a BED file, all of them within chromosomes of the file. */
export async function bedRegions(
  io: Pick<D4Io, 'readBed'>,
  path: string,
  { chromosomes }: D4Track,
  alias: boolean,
): Promise<Regions> {
  const bed = await io.readBed(path);
  const few = chromosomes.slice(0, 3).map(({ name }) => name);
  bed.within(
    (name) => chromosomes[chromosomeIndex(chromosomes, name, alias)]?.size,
    (name) =>
      `the D4 file has no chromosome ${JSON.stringify(name)}; its own are ${few.join(', ')} …` +
      (chromosomeIndex(chromosomes, name, true) >= 0 ? ' (--alias accepts the other spelling)' : ''),
  );
  return new Regions(bed.chromosomes, bed.ordinals, new Float64Array(bed.starts), new Float64Array(bed.ends));
}

/**
 * Parses `chr`, `chr:begin-end` or `chr:begin-` (zero-based half-open). Names may contain colons. Throws D4Error for a chromosome or
 * bases that the file does not have.
 */
export function parseRegion(text: string, { chromosomes, source }: D4Track): Interval {
  const sizeOf = (name: string) => chromosomes.find((chromosome) => chromosome.name === name)?.size;
  const whole = sizeOf(text);
  if (whole !== undefined) return { chromosome: text, begin: 0, end: whole };
  const [, chromosome = text, from, to] = /^(.+):(\d+)-(\d*)$/.exec(text) ?? [];
  const size = sizeOf(chromosome);
  if (size === undefined) {
    throw new D4Error('unknown-chromosome', `The file has no chromosome ${JSON.stringify(chromosome)}`, source.name);
  }
  const begin = Number(from ?? 0);
  const end = to ? Number(to) : Math.max(begin, size);
  if (end < begin) throw new D4Error('invalid', 'A region must not end before it begins', text);
  if (end > size || begin === size) {
    throw new D4Error('invalid', `Chromosome ${chromosome} has ${size} bases, and the region is not in it`, text);
  }
  return { chromosome, begin, end };
}

// Regions in columns.

/** A list of regions; those of one chromosome share its name. */
export class Regions implements IntervalList {
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
  sorted(compare: (one: string, other: string) => number): { regions: Regions; stretches: RegionStretch[] } {
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
interface RegionStretch {
  name: string;
  from: number;
  to: number;
}

function placesOf(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.map((name, place) => [name, place]));
}
