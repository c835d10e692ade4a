/** The positions of many alleles, in columns and in the order in which the coverage service is queried. */
import type { NumberedQuestion } from '../../services/coverage.js';
import { type Assembly, type Contig, contigs, type SequenceQuestion } from '../contract.js';
import type { CarrierObservation } from './denominator.js';
import { type Population, spanOf } from './population.js';

/** Places in one question to the service. */
const mostPlaces = 5000;
/** Samples named in one question to the service, unless one place alone names more. */
const mostNamed = 100_000;

/** The places of alleles in the order of the genome. */
export class OrderedPlaces {
  readonly #chromosomes: readonly Contig[];
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  /** The alleles in that order; undefined if they are in it. */
  readonly #order: Uint32Array | undefined;

  constructor(count: number, questionOf: (i: number) => SequenceQuestion, assembly: Assembly) {
    const chromosomes = new Array<Contig>(count);
    this.#starts = new Uint32Array(count);
    this.#ends = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      const question = questionOf(i);
      const { start, end } = spanOf(question, assembly);
      chromosomes[i] = question.contig;
      this.#starts[i] = start;
      this.#ends[i] = end;
    }
    this.#chromosomes = chromosomes;
    let isOrdered = true;
    for (let i = 1; i < count && isOrdered; i++) isOrdered = this.#compare(i - 1, i) <= 0;
    if (!isOrdered) {
      this.#order = Uint32Array.from({ length: count }, (_, i) => i).sort((one, other) => this.#compare(one, other));
    }
  }

  /** The allele of this rank. */
  at(rank: number): number {
    return this.#order === undefined ? rank : (this.#order[rank] as number);
  }

  chromosome(rank: number): Contig {
    return this.#chromosomes[this.at(rank)] as Contig;
  }

  start(rank: number): number {
    return this.#starts[this.at(rank)] as number;
  }

  end(rank: number): number {
    return this.#ends[this.at(rank)] as number;
  }

  /** Whether it is the same as that of the rank before. */
  isRepeated(rank: number): boolean {
    return this.#compare(this.at(rank - 1), this.at(rank)) === 0;
  }

  #compare(one: number, other: number): number {
    const [here, there] = [this.#chromosomes[one] as Contig, this.#chromosomes[other] as Contig];
    if (here !== there) return (order.get(here) ?? 0) - (order.get(there) ?? 0);
    const starts = (this.#starts[one] as number) - (this.#starts[other] as number);
    return starts === 0 ? (this.#ends[one] as number) - (this.#ends[other] as number) : starts;
  }
}

const order = new Map(contigs.map((contig, i) => [contig, i]));

/** Alleles of one question to the service. */
export class PlacesPart {
  readonly question: NumberedQuestion;
  /** By allele: the number of its place in the question. */
  readonly places: Uint32Array;
  /** By allele: where its carriers begin among the named samples, and where samples follow that were not called. */
  readonly #from: Uint32Array;
  readonly #uncalledFrom: Uint32Array;

  constructor(
    population: Population,
    ordered: OrderedPlaces,
    from: number,
    to: number,
    observationOf: (i: number) => CarrierObservation,
  ) {
    const count = to - from;
    this.places = new Uint32Array(count);
    this.#from = new Uint32Array(count + 1);
    this.#uncalledFrom = new Uint32Array(count);
    let total = 0;
    for (let rank = from; rank < to; rank++) total += countNamedSamples(observationOf(ordered.at(rank)));
    const named = new Uint32Array(total);
    let used = 0;
    const chromosomes: Contig[] = [];
    const starts = new Uint32Array(count);
    const ends = new Uint32Array(count);
    const namedFrom = new Uint32Array(count + 1);
    for (let n = 0; n < count; n++) {
      const rank = from + n;
      if (n === 0 || !ordered.isRepeated(rank)) {
        const place = chromosomes.length;
        chromosomes.push(ordered.chromosome(rank));
        starts[place] = ordered.start(rank);
        ends[place] = ordered.end(rank);
      }
      this.places[n] = chromosomes.length - 1;
      const carriers = observationOf(ordered.at(rank)).named;
      if (carriers) {
        const numbers = population.numbersOf(carriers.names);
        for (let i = 0; i < carriers.numbers.length; i++) {
          const number = numbers[carriers.numbers[i] as number] as number;
          if (number >= 0) named[used++] = number;
        }
        this.#uncalledFrom[n] = used;
        for (const sample of carriers.uncalled) {
          const number = numbers[sample] as number;
          if (number >= 0) named[used++] = number;
        }
      } else this.#uncalledFrom[n] = used;
      this.#from[n + 1] = used;
      namedFrom[chromosomes.length] = used;
    }
    const places = chromosomes.length;
    this.question = {
      chromosomes,
      starts: starts.subarray(0, places),
      ends: ends.subarray(0, places),
      named: named.subarray(0, used),
      namedFrom: namedFrom.subarray(0, places + 1),
    };
  }

  /** What is below of the carriers of an allele that are in the population. */
  belowOf(n: number, below: Uint8Array): Uint8Array {
    return below.subarray(this.#from[n], this.#uncalledFrom[n]);
  }

  /** Of the samples that were not called at an allele, and are in the population: numbers, and what is below. */
  uncalledOf(n: number, below: Uint8Array): { number: number; isBelow: boolean }[] {
    const [from, to] = [this.#uncalledFrom[n], this.#from[n + 1]];
    return Array.from(this.question.named.subarray(from, to), (number, i) => ({
      number,
      isBelow: below[(from as number) + i] === 1,
    }));
  }
}

/** Samples that are named at an allele. */
export function countNamedSamples({ named }: CarrierObservation): number {
  return named ? named.numbers.length + named.uncalled.length : 0;
}

/** The end of the part that begins at a rank; `namedAt` is how many samples each of them names. */
export function partAfter(from: number, count: number, namedAt: (rank: number) => number): number {
  let named = 0;
  for (let rank = from; rank < count; rank++) {
    named += namedAt(rank);
    if (rank > from && (rank - from === mostPlaces || named > mostNamed)) return rank;
  }
  return count;
}
