/** How often, and in whom, an allele was seen in a dataset, and out of how many. */
import type { Allele, Assembly, Contig } from './allele.js';
import { type ObservedFractions, observedFractions } from './fractions.js';
import type { NamedCarrier } from './hits.js';
import { matches } from './matching.js';
import { isSexSpecific, ploidyAt, type Sample, type Searched } from './sample.js';
import { isSimilar, type StructuralQuestion } from './similar.js';

/** An allele that is queried by its bases, in canonical form. */
export interface SequenceQuestion {
  type: 'sequence';
  contig: Contig;
  /** Zero-based. */
  start: number;
  /** `[ACGT]+` */
  reference: string;
  alternate: string;
}

export type ObservedQuestion = SequenceQuestion | StructuralQuestion;

/** Whether an allele of a dataset is one that a question asks for; `window` is the dataset's. */
export function isAskedFor(allele: Allele, question: ObservedQuestion, assembly: Assembly, window: number): boolean {
  if (question.type === 'structural') return isSimilar(allele, question, window);
  const { contig, start, reference, alternate } = question;
  return matches(allele, { assembly, contig, start: { min: start, max: start }, reference, alternate });
}

export interface Totals {
  /** Distinct cases. */
  cases: number;
  samples: number;
}

/** A case with a carrier. */
export interface ObservedCase {
  case: string;
  /** Whether one of its carriers is homozygous, or hemizygous, as `ObservedCounts` defines it. */
  homozygous: boolean;
  hemizygous: boolean;
  /** The highest allele fraction of its carriers, in percent, if any is known and counted. */
  percent?: number;
  /** When the newest of its carriers was added. */
  added: Date | undefined;
}

export interface ObservedCounts {
  /** Distinct cases with a carrier. */
  cases: number;
  /** Distinct samples with at least one copy. */
  carriers: number;
  /** Carriers called with two or more copies, where a person of their sex has two. */
  homozygotes: number;
  /** Male carriers on X or Y outside the pseudo-autosomal regions. */
  hemizygotes: number;
  /** Copies of all carriers, of each at most as many as a person of that sex has of the place. */
  alleleCount: number;
}

/** Carriers of an allele at a place that every person has in two copies. */
export interface CarrierCounts {
  carriers: number;
  /** Those with two or more copies. */
  twice: number;
  /** Distinct cases. */
  cases: number;
}

/** Who the carriers are. */
export interface ObservedDetail {
  /** When the first and the last of the carriers were added to the dataset; undefined without any known date. */
  first: Date | undefined;
  last: Date | undefined;
  /** Cases with a carrier called with two or more copies, whatever the sex. */
  casesCalledTwice: number;
  /** Cases with a hemizygous carrier. */
  casesHemizygous: number;
  /** The newest first; those without a date last; else by id. As many as were asked for. */
  carrying: readonly ObservedCase[];
}

/** Carriers in columns: a batch of questions may have millions. */
export interface NumberedCarriers {
  /** The names of all samples of the dataset, by number: one list for all observations of a state of the dataset. */
  names: readonly string[];
  /** The numbers of the carriers, each once, in any order. */
  numbers: readonly number[];
  /** The most copies of each of them. */
  copies: readonly number[];
  /** The numbers of the samples that `notCalled` counts. */
  uncalled: readonly number[];
  /** The highest allele fraction of each carrier, in percent, as far as `fractions` counts them; omitted if none is known. */
  percents?: ReadonlyMap<number, number>;
  /** The numbers of the samples that `fractions.below` counts; omitted if there are none. */
  below?: readonly number[];
}

/** In the order of the names. */
export function carriersByName({
  names,
  numbers,
  copies,
}: Pick<NumberedCarriers, 'names' | 'numbers' | 'copies'>): NamedCarrier[] {
  const carriers = numbers.map((number, i): NamedCarrier => [names[number] as string, copies[i] as number]);
  return carriers.sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
}

export interface Observation extends ObservedCounts {
  dataset: string;
  /**
   * Cases and samples in which alleles of this kind were searched for, without samples that `notCalled` counts. A case counts if
   * one of its samples does.
   */
  of: Totals;
  /**
   * Samples of which it is not known whether they carry the allele: their genotype was not called in a record of it, or all
   * genotypes of the chromosome were skipped. A sample that carries it by another record is a carrier.
   */
  notCalled: number;
  /** If any is known: on MT, and elsewhere if it was asked for. */
  fractions?: ObservedFractions;
  detail?: ObservedDetail;
  /** The carriers. */
  named?: NumberedCarriers;
}

/** What an observation holds beside its counts. */
export interface Requested {
  /** The largest number of cases to name in `detail`; without it there is no detail. */
  cases?: number | undefined;
  /** Whether to name the carriers. */
  carriers?: boolean | undefined;
  /** Whether to count carriers by their allele fraction in other places than on MT, too. */
  fractions?: boolean | undefined;
}

/** Cases and samples among those in which an allele of the question's kind could have been seen. */
export function totalsFor(samples: Iterable<Sample>, type: ObservedQuestion['type']): Totals {
  const cases = new Set<string>();
  let count = 0;
  for (const sample of samples) {
    if (!(type === 'structural' ? sample.searched.structural : sample.searched.small)) continue;
    cases.add(sample.case);
    count++;
  }
  return { cases: cases.size, samples: count };
}

/** Where a question is asked, and for which kind of alleles. */
type QuestionPlace = { assembly: Assembly; contig: Contig; start: number; type: ObservedQuestion['type'] };

/** The samples that were searched for a kind of alleles. */
interface SearchedSamples {
  kind: keyof Searched;
  totals: Totals;
  /** By number of the case. */
  byCase: Int32Array;
  /** Samples for which this kind was not searched on a chromosome. */
  unsearched: ReadonlyMap<Contig, readonly number[]>;
}

/**
 * Collects the carriers of the alleles that answer one question, and then another, in one dataset; of a sample that comes again,
 * the most copies. Samples are numbers: a batch may have millions of carriers.
 */
export class Observed {
  readonly #samples: readonly Sample[];
  /** By sample: the number of its case. */
  readonly #cases: Int32Array;
  /** By sample: the most copies so far; 0 of those that did not come. */
  readonly #copies: Int32Array;
  #came: number[] = [];
  /** By case: the last question for which it was counted. */
  readonly #counted: Float64Array;
  #names: readonly string[] | undefined;
  #question = 0;
  #summed: CarrierCounts = { carriers: 0, twice: 0, cases: 0 };
  #missed: number[] = [];
  /** By sample: the highest of its allele fractions, in percent. */
  readonly #percents = new Map<number, number>();
  /** Samples with a call that does not count. */
  readonly #below = new Set<number>();
  /** By sample: 1 if it was missed. */
  readonly #isMissed: Uint8Array;
  readonly #searched = new Map<ObservedQuestion['type'], SearchedSamples>();

  /** The samples of the dataset, in the order of the numbers that `add` is called with. */
  constructor(samples: readonly Sample[]) {
    this.#samples = samples;
    const numbers = new Map<string, number>();
    this.#cases = Int32Array.from(samples, (sample) => {
      const number = numbers.get(sample.case) ?? numbers.size;
      numbers.set(sample.case, number);
      return number;
    });
    this.#copies = new Int32Array(samples.length);
    this.#counted = new Float64Array(numbers.size);
    this.#isMissed = new Uint8Array(samples.length);
  }

  /** `percent` is its allele fraction, if known; a call with one below `least` does not count. */
  add(sample: number, copies: number, percent?: number, least = 0): void {
    const known = this.#copies[sample];
    if (known === undefined) throw new RangeError(`There is no sample ${sample} of ${this.#samples.length}`);
    if (percent !== undefined && percent < least) {
      this.#below.add(sample);
      return;
    }
    if (known === 0) this.#came.push(sample);
    if (copies > known) this.#copies[sample] = copies;
    if (percent !== undefined) this.#percents.set(sample, Math.max(percent, this.#percents.get(sample) ?? 0));
  }

  /** Says of a sample that it has a call that does not count. */
  addBelow(sample: number): void {
    this.#below.add(sample);
  }

  /** Says of a sample that its genotype was not called. */
  miss(sample: number): void {
    const known = this.#isMissed[sample];
    if (known === undefined) throw new RangeError(`There is no sample ${sample} of ${this.#samples.length}`);
    if (known === 0) this.#missed.push(sample);
    this.#isMissed[sample] = 1;
  }

  /** Whether samples were not searched for the alleles of a question because of its chromosome. */
  hasUnsearched({ type, contig }: Pick<QuestionPlace, 'type' | 'contig'>): boolean {
    return this.#searchedFor(type).unsearched.has(contig);
  }

  /**
   * Adds carriers by their numbers alone: for a question that requests nothing beside counts, about a place of which every person has two copies.
   * Neither they nor others of their cases may be added or missed in another way.
   */
  addCounts({ carriers, twice, cases }: CarrierCounts): void {
    this.#summed.carriers += carriers;
    this.#summed.twice += twice;
    this.#summed.cases += cases;
  }

  /** The counts with what is requested. Begins anew with the next question. */
  result(place: QuestionPlace, requested: Requested = {}): Omit<Observation, 'dataset'> {
    for (const sample of this.#searchedFor(place.type).unsearched.get(place.contig) ?? []) this.miss(sample);
    return this.#result(place, requested);
  }

  /** The same without any carrier, where all samples were searched and called. */
  unseen(type: ObservedQuestion['type'], requested: Requested): Omit<Observation, 'dataset'> {
    return this.#result({ assembly: 'GRCh37', contig: '1', start: 0, type }, requested);
  }

  #result(
    place: QuestionPlace,
    { cases, carriers = false, fractions: elsewhere = false }: Requested,
  ): Omit<Observation, 'dataset'> {
    if (place.contig !== 'MT' && !elsewhere) this.#percents.clear();
    const fractions = this.#fractions();
    const uncalled = this.#missed.filter((sample) => this.#copies[sample] === 0);
    const found = {
      ...this.#counts(place),
      of: this.#totals(place.type, uncalled),
      notCalled: uncalled.length,
      ...(fractions && { fractions }),
      ...(cases !== undefined && { detail: this.#detail(place, cases) }),
      ...(carriers && { named: this.#named(uncalled) }),
    };
    for (const sample of this.#missed) this.#isMissed[sample] = 0;
    this.#missed = [];
    for (const sample of this.#came) this.#copies[sample] = 0;
    this.#came = [];
    this.#percents.clear();
    this.#below.clear();
    this.#summed = { carriers: 0, twice: 0, cases: 0 };
    return found;
  }

  #fractions(): ObservedFractions | undefined {
    const below = this.#lacking().length;
    if (this.#percents.size + below === 0) return undefined;
    return observedFractions(this.#percents.values(), this.#came.length, below);
  }

  /** Samples with a call that does not count, and no other. */
  #lacking(): number[] {
    return [...this.#below].filter((sample) => this.#copies[sample] === 0);
  }

  #counts({ assembly, contig, start }: QuestionPlace): ObservedCounts {
    const sexSpecific = isSexSpecific(assembly, contig, start);
    const ploidy = {
      female: ploidyAt(assembly, contig, start, 'female'),
      male: ploidyAt(assembly, contig, start, 'male'),
      unknown: ploidyAt(assembly, contig, start, 'unknown'),
    };
    const { carriers, twice, cases } = this.#summed;
    const counts = {
      cases,
      carriers: carriers + this.#came.length,
      homozygotes: twice,
      hemizygotes: 0,
      alleleCount: carriers + twice,
    };
    this.#question++;
    const { male, female } = ploidy;
    const same = male === female && male === ploidy.unknown ? male : undefined;
    for (const sample of this.#came) {
      const copies = this.#copies[sample] as number;
      const most = same ?? ploidy[(this.#samples[sample] as Sample).sex];
      if (copies >= 2 && most === 2) counts.homozygotes++;
      if (sexSpecific && (this.#samples[sample] as Sample).sex === 'male') counts.hemizygotes++;
      counts.alleleCount += Math.min(copies, most);
      const number = this.#cases[sample] as number;
      if (this.#counted[number] === this.#question) continue;
      this.#counted[number] = this.#question;
      counts.cases++;
    }
    return counts;
  }

  #searchedFor(type: ObservedQuestion['type']): SearchedSamples {
    let found = this.#searched.get(type);
    if (found === undefined) {
      const kind = type === 'structural' ? 'structural' : 'small';
      const byCase = new Int32Array(this.#counted.length);
      const unsearched = new Map<Contig, number[]>();
      for (const [number, sample] of this.#samples.entries()) {
        const { searched, unsearched: chromosomes } = sample;
        const ofCase = this.#cases[number] as number;
        if (!searched[kind]) continue;
        byCase[ofCase] = (byCase[ofCase] ?? 0) + 1;
        for (const contig of chromosomes?.[kind] ?? []) {
          const those = unsearched.get(contig);
          if (those) those.push(number);
          else unsearched.set(contig, [number]);
        }
      }
      found = { kind, totals: totalsFor(this.#samples, type), byCase, unsearched };
      this.#searched.set(type, found);
    }
    return found;
  }

  /** Of the searched samples without these. */
  #totals(type: ObservedQuestion['type'], uncalled: readonly number[]): Totals {
    const { kind, totals, byCase } = this.#searchedFor(type);
    if (uncalled.length === 0) return totals;
    let { cases, samples } = totals;
    const left = new Map<number, number>();
    for (const number of uncalled) {
      if (!this.#samples[number]?.searched[kind]) continue;
      samples--;
      const ofCase = this.#cases[number] as number;
      const others = (left.get(ofCase) ?? (byCase[ofCase] as number)) - 1;
      left.set(ofCase, others);
      if (others === 0) cases--;
    }
    return { cases, samples };
  }

  /** With the list of those who came, which is not used any more. */
  #named(uncalled: readonly number[]): NumberedCarriers {
    this.#names ??= this.#samples.map(({ name }) => name);
    const numbers = this.#came;
    const copies = numbers.map((number) => this.#copies[number] as number);
    const below = this.#lacking();
    return {
      ...{ names: this.#names, numbers, copies, uncalled },
      ...(this.#percents.size > 0 && { percents: new Map(this.#percents) }),
      ...(below.length > 0 && { below }),
    };
  }

  #detail(place: QuestionPlace, most: number): ObservedDetail {
    const sexSpecific = isSexSpecific(place.assembly, place.contig, place.start);
    const cases = new Map<string, ObservedCase & { twice: boolean }>();
    let [first, last]: (Date | undefined)[] = [];
    for (const number of this.#came) {
      const sample = this.#samples[number] as Sample;
      const copies = this.#copies[number] as number;
      const homozygous = copies >= 2 && ploidyAt(place.assembly, place.contig, place.start, sample.sex) === 2;
      const hemizygous = sexSpecific && sample.sex === 'male';
      const known = cases.get(sample.case);
      const percent = higher(this.#percents.get(number), known?.percent);
      cases.set(sample.case, {
        case: sample.case,
        homozygous: homozygous || known?.homozygous === true,
        hemizygous: hemizygous || known?.hemizygous === true,
        twice: copies >= 2 || known?.twice === true,
        ...(percent !== undefined && { percent }),
        added: later(sample.added, known?.added),
      });
      if (sample.added && (!first || sample.added < first)) first = sample.added;
      last = later(sample.added, last);
    }
    const newest = [...cases.values()].sort(byAge);
    return {
      first,
      last,
      casesCalledTwice: newest.filter(({ twice }) => twice).length,
      casesHemizygous: newest.filter(({ hemizygous }) => hemizygous).length,
      carrying: newest.slice(0, most).map(({ twice, ...observed }) => observed),
    };
  }
}

function higher(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

function later(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (!one || !other) return one ?? other;
  return one > other ? one : other;
}

/** The latest first; cases of which nothing is known to have been added last. */
function byAge(one: ObservedCase, other: ObservedCase): number {
  const age = ({ added }: ObservedCase) => added?.getTime() ?? Number.MIN_SAFE_INTEGER;
  return age(other) - age(one) || (one.case < other.case ? -1 : Number(one.case > other.case));
}
