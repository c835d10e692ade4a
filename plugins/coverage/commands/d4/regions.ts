/**
 * The regions that commands work on: BED files, `chr:begin-end`, or the whole genome. They are columns, since hundreds of
 * thousands of objects would take longer to keep than their bases to measure.
 */
import {
  chromosomeIndex,
  D4Error,
  type D4Track,
  type Interval,
  type IntervalColumns,
  type IntervalList,
} from '../../d4/index.js';
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
  return new Regions(bed.chromosomes, bed.ordinals, bed.starts, bed.ends);
}

/** Digits, also in groups of three as samtools accepts them. */
const position = '\\d+|\\d{1,3}(?:,\\d{3})+';
const bounds = new RegExp(`^(${position})-(${position})?$`);

/**
 * Parses `chr`, `chr:begin-end` or `chr:begin-` (zero-based half-open). Names may contain colons. Throws D4Error for a chromosome or
 * bases that the file does not have.
 */
export function parseRegion(text: string, { chromosomes, source }: D4Track): Interval {
  const sizeOf = (name: string) => chromosomes.find((chromosome) => chromosome.name === name)?.size;
  const whole = sizeOf(text);
  if (whole !== undefined) return { chromosome: text, begin: 0, end: whole };
  const [, chromosome = text, positions = ''] = /^(.+):(.*)$/.exec(text) ?? [];
  const size = sizeOf(chromosome);
  if (size === undefined) {
    throw new D4Error('unknown-chromosome', `The file has no chromosome ${JSON.stringify(chromosome)}`, source.name);
  }
  const found = bounds.exec(positions);
  if (!found) {
    const forms = 'A region must be chr, chr:begin-end or chr:begin-, such as chr1:1000-2000 or chr1:1,000-2,000';
    throw new D4Error('invalid', forms, text);
  }
  const numberOf = (digits: string) => Number(digits.replaceAll(',', ''));
  const begin = numberOf(found[1] as string);
  const end = found[2] === undefined ? Math.max(begin, size) : numberOf(found[2]);
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
  readonly begins: Uint32Array;
  readonly ends: Uint32Array;
  /** Of regions that are sorted. */
  readonly columns: IntervalColumns | undefined;

  constructor(
    names: readonly string[],
    chromosomes: Uint32Array,
    begins: Uint32Array,
    ends: Uint32Array,
    stretches?: RegionStretch[],
  ) {
    this.length = chromosomes.length;
    this.#names = names;
    this.#chromosomes = chromosomes;
    this.begins = begins;
    this.ends = ends;
    this.columns = stretches && { begins, ends, stretches };
  }

  static of(intervals: readonly Interval[]): Regions {
    const names = [...new Set(intervals.map(({ chromosome }) => chromosome))];
    const places = new Map(names.map((name, place) => [name, place]));
    return new Regions(
      names,
      Uint32Array.from(intervals, ({ chromosome }) => places.get(chromosome) as number),
      Uint32Array.from(intervals, ({ begin }) => begin),
      Uint32Array.from(intervals, ({ end }) => end),
    );
  }

  at(place: number): Interval | undefined {
    if (place >= this.length) return undefined;
    const chromosome = this.#names[this.#chromosomes[place] as number] as string;
    return { chromosome, begin: this.begins[place] as number, end: this.ends[place] as number };
  }

  *[Symbol.iterator](): Generator<Interval> {
    for (let i = 0; i < this.length; i++) yield this.at(i) as Interval;
  }

  /** By chromosome in the order of `compare`, then by begin and end. Also where the regions of each chromosome are then. */
  sorted(compare: (one: string, other: string) => number): { regions: Regions; stretches: RegionStretch[] } {
    const [chromosomes, begins, ends, count] = [this.#chromosomes, this.begins, this.ends, this.length];
    const counts = new Uint32Array(this.#names.length);
    for (const place of chromosomes) counts[place] = (counts[place] as number) + 1;
    const next = new Uint32Array(counts.length);
    const stretches: RegionStretch[] = [];
    let from = 0;
    for (const [place, name] of [...this.#names.entries()].sort(([, one], [, other]) => compare(one, other))) {
      const to = from + (counts[place] as number);
      stretches.push({ name, from, to });
      next[place] = from;
      from = to;
    }
    // Sorting numbers is many times faster than sorting with a function: begins in the high halves, ends in the low ones.
    const halves = new Uint32Array(2 * count);
    const ordinals = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      const place = chromosomes[i] as number;
      const at = next[place] as number;
      next[place] = at + 1;
      ordinals[at] = place;
      halves[2 * at] = ends[i] as number;
      halves[2 * at + 1] = begins[i] as number;
    }
    const keys = new BigUint64Array(halves.buffer);
    for (const { from, to } of stretches) keys.subarray(from, to).sort();
    const [sortedBegins, sortedEnds] = [new Uint32Array(count), new Uint32Array(count)];
    for (let i = 0; i < count; i++) {
      sortedBegins[i] = halves[2 * i + 1] as number;
      sortedEnds[i] = halves[2 * i] as number;
    }
    return { regions: new Regions(this.#names, ordinals, sortedBegins, sortedEnds, stretches), stretches };
  }
}

/** The regions [from, to) of one chromosome. */
interface RegionStretch {
  name: string;
  from: number;
  to: number;
}
