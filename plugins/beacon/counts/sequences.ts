/**
 * Counts out of how many samples alleles of plain bases were seen. There are millions: everything is kept in columns, in the
 * order in which the coverage service is queried.
 */
import type { NumberedAnswer, NumberedCallability, NumberedQuestion } from '../../services/coverage.js';
import {
  type Assembly,
  type Contig,
  contigs,
  type NumberedCarriers,
  type SequenceQuestion,
  type Sex,
} from '../contract.js';
import {
  type AlleleNumbers,
  type CarrierObservation,
  calledAlleles,
  type DatasetDenominator,
  type Denominator,
  datasetDenominator,
  denominatorOfCovered,
  namedAlleles,
  needsNames,
  type PopulationDepth,
  summedAlleles,
  type UnknownCoverageReason,
  withoutUncalled,
} from './denominator.js';
import { type Locus, type Population, type PopulationGroup, spanOfSequence } from './population.js';

/** An allele that is judged. */
export interface JudgedAllele {
  question: SequenceQuestion;
  observation: CarrierObservation;
}

interface SequenceTools {
  assembly: Assembly;
  threshold: number;
  population: Population;
  /** Of the samples of the population. */
  service: NumberedCallability;
}

/** What an answer states for all places. */
interface UnknownSamples {
  list: NumberedAnswer['unknown'];
  reasons: readonly UnknownCoverageReason[];
  /** Samples of which it is unknown, by group. */
  counts: readonly number[];
  /** By number. */
  isKnown: Uint8Array;
}

export class SequenceJudgement {
  readonly #tools: SequenceTools;
  /** What the last answer said is unknown: mostly the same each time. */
  #unknown: UnknownSamples | undefined;
  #needed = 0;

  constructor(tools: SequenceTools) {
    this.#tools = tools;
  }

  /** Alleles whose carriers had to be named, and were. */
  get needed(): number {
    return this.#needed;
  }

  /** Passes the denominator of each allele to `judge`, or undefined if its carriers must be named, and are not. */
  async each(
    count: number,
    asked: (i: number) => JudgedAllele,
    judge: (i: number, judged: DatasetDenominator | undefined) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const places = new OrderedPlaces(count, (i) => asked(i).question, this.#tools.assembly);
    for (let from = 0; from < count; ) {
      const to = partAfter(from, count, (rank) => countNamedSamples(asked(places.at(rank)).observation));
      await this.#part(places, from, to, asked, judge, signal);
      from = to;
    }
  }

  async #part(
    places: OrderedPlaces,
    from: number,
    to: number,
    asked: (i: number) => JudgedAllele,
    judge: (i: number, judged: DatasetDenominator | undefined) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { population } = this.#tools;
    const part = new PlacesPart(population, places, from, to, (i) => asked(i).observation);
    const { covered, below, unknown: list } = await this.#ask(part.question, signal);
    const unknown = this.#unknownIn(list);
    const groups = population.groups.length;
    const known = new Map<number, SharedDepth>();
    for (let rank = from; rank < to; rank++) {
      const i = places.at(rank);
      const { question, observation } = asked(i);
      const { contig, start } = question;
      const site = { assembly: this.#tools.assembly, contig, start };
      const first = (part.places[rank - from] as number) * groups;
      const isDiploid = contig !== 'X' && contig !== 'Y' && contig !== 'MT';
      // There places differ only in the numbers of covered samples.
      const key = isDiploid ? keyOfCoverage(covered, first, groups) : undefined;
      const found = key === undefined ? undefined : known.get(key);
      const here = found ?? this.#shared(site, [...covered.subarray(first, first + groups)], unknown);
      if (key !== undefined && found === undefined) known.set(key, here);
      const isCalled = observation.notCalled === 0;
      if (isCalled && observation.carriers === 0) {
        here.unseen ??= datasetDenominator(here.counted, this.#summed(site, here, observation), unknown.reasons);
        judge(i, here.unseen);
      } else if (isCalled && !needsNames(site, here.counted, observation.carriers)) {
        judge(i, datasetDenominator(here.counted, this.#summed(site, here, observation), unknown.reasons));
      } else if (observation.named === undefined) judge(i, undefined);
      else {
        this.#needed++;
        const called = { observation, named: observation.named, below: part.belowOf(rank - from, below) };
        const alleles = this.#named(site, here, called, unknown, isDiploid);
        const judged = datasetDenominator(here.counted, alleles, unknown.reasons);
        const uncalled = part.uncalledOf(rank - from, below).map(({ number, isBelow }) => ({
          ...{ sex: population.sexes[number] as Sex, isKnown: unknown.isKnown[number] === 1, isBelow },
        }));
        judge(i, isCalled ? judged : withoutUncalled(judged, site, uncalled));
      }
    }
  }

  #shared(site: Locus, covered: readonly number[], { counts }: UnknownSamples): SharedDepth {
    const depth = { threshold: this.#tools.threshold, covered, unknown: counts };
    return { depth, counted: denominatorOfCovered(this.#tools.population, site, depth), unseen: undefined };
  }

  #summed(site: Locus, { depth, counted }: SharedDepth, observation: CarrierObservation) {
    return summedAlleles(this.#tools.population, site, depth, counted, observation);
  }

  #named(
    site: Locus,
    { depth, counted }: SharedDepth,
    { observation, named, below }: CarriedSequence,
    { isKnown }: UnknownSamples,
    isDiploid: boolean,
  ): AlleleNumbers {
    const { population } = this.#tools;
    // Of known samples with two copies each it is enough how many are not covered.
    if (isDiploid && counted.unknown + counted.unknownSex === 0 && below.length === named.numbers.length) {
      let count = 0;
      for (let i = 0; i < below.length; i++) count += below[i] as number;
      return calledAlleles(population, site, depth, observation, count);
    }
    const numbers = population.numbersOf(named.names);
    const own: number[] = [];
    const copies: number[] = [];
    for (let i = 0; i < named.numbers.length; i++) {
      const number = numbers[named.numbers[i] as number] as number;
      if (number < 0) continue;
      own.push(number);
      copies.push(named.copies[i] as number);
    }
    return namedAlleles(population, site, depth, { numbers: own, copies, isKnown, below });
  }

  async #ask(question: NumberedQuestion, signal: AbortSignal): Promise<NumberedAnswer> {
    const { population, service } = this.#tools;
    if (population.groups.length > 0) return service.covered(question, signal);
    // No sample was searched for such alleles.
    return { unknown: [], covered: new Uint32Array(), below: new Uint8Array(question.named.length) };
  }

  #unknownIn(list: NumberedAnswer['unknown']): UnknownSamples {
    if (this.#unknown?.list === list) return this.#unknown;
    const { groups, sexes } = this.#tools.population;
    const isKnown = new Uint8Array(sexes.length).fill(1);
    for (const { sample } of list) isKnown[sample] = 0;
    const counts: number[] = [];
    let from = 0;
    for (const { ids } of groups as readonly PopulationGroup[]) {
      counts.push(isKnown.subarray(from, from + ids.length).reduce((sum, one) => sum + 1 - one, 0));
      from += ids.length;
    }
    this.#unknown = { list, reasons: [...new Set(list.map(({ reason }) => reason))], counts, isKnown };
    return this.#unknown;
  }
}

/** What alleles share at whose places as many samples of each group are covered. */
interface SharedDepth {
  depth: PopulationDepth;
  counted: Denominator;
  /** Of alleles without carriers. */
  unseen: DatasetDenominator | undefined;
}

/** An allele whose carriers are named. */
interface CarriedSequence {
  observation: CarrierObservation;
  named: NumberedCarriers;
  /** Of those carriers that are in the population, in their order: 1 for one that is not covered. */
  below: Uint8Array;
}

/** One number for the covered samples of each group, of which there are at most 100,000; undefined for many groups. */
function keyOfCoverage(covered: Uint32Array, first: number, groups: number): number | undefined {
  if (groups > 3) return undefined;
  let key = 0;
  for (let i = first; i < first + groups; i++) key = key * 100_001 + (covered[i] as number);
  return key;
}

// The positions of many alleles, in columns and in the order in which the coverage service is queried.

/** Places in one question to the service. */
const mostPlaces = 5000;
/** Samples named in one question to the service, unless one place alone names more. */
const mostNamed = 100_000;

/** The places of alleles in the order of the genome. */
class OrderedPlaces {
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
      const { start, end } = spanOfSequence(question, assembly);
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
class PlacesPart {
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
function countNamedSamples({ named }: CarrierObservation): number {
  return named ? named.numbers.length + named.uncalled.length : 0;
}

/** The end of the part that begins at a rank; `namedAt` is how many samples each of them names. */
function partAfter(from: number, count: number, namedAt: (rank: number) => number): number {
  let named = 0;
  for (let rank = from; rank < count; rank++) {
    named += namedAt(rank);
    if (rank > from && (rank - from === mostPlaces || named > mostNamed)) return rank;
  }
  return count;
}
