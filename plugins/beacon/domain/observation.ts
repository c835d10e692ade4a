/** How often, and in whom, an allele was seen in a dataset, and out of how many. */
import type { Allele, Assembly, Contig } from './allele.js';
import { matches } from './matching.js';
import { isSexSpecific, ploidyAt } from './ploidy.js';
import type { Sample } from './sample.js';
import { isSimilar, type StructuralQuestion } from './similar.js';

/** An allele that is asked for by its bases, in canonical form. */
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

export interface Observation extends ObservedCounts {
  dataset: string;
  /** Cases and samples in which alleles of this kind were searched for. */
  of: Totals;
  detail?: ObservedDetail;
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

type Place = { assembly: Assembly; contig: Contig; start: number };

/** Collects the carriers of the alleles that answer one question in one dataset; of a sample that comes again, the most copies. */
export class Observed {
  readonly #copies = new Map<string, number>();

  add(sample: string, copies: number): void {
    const known = this.#copies.get(sample);
    if (known === undefined || copies > known) this.#copies.set(sample, copies);
  }

  /** `most` is the largest number of cases to name. */
  result(place: Place, facts: (sample: string) => Sample, most?: number): ObservedCounts & { detail?: ObservedDetail } {
    const sexSpecific = isSexSpecific(place.assembly, place.contig, place.start);
    const cases = new Map<string, ObservedCase & { twice: boolean }>();
    const counts = { carriers: 0, homozygotes: 0, hemizygotes: 0, alleleCount: 0 };
    let [first, last]: (Date | undefined)[] = [];
    for (const [name, copies] of this.#copies) {
      const sample = facts(name);
      const ploidy = ploidyAt(place.assembly, place.contig, place.start, sample.sex);
      const homozygous = ploidy === 2 && copies >= 2;
      const hemizygous = sexSpecific && sample.sex === 'male';
      counts.carriers++;
      if (homozygous) counts.homozygotes++;
      if (hemizygous) counts.hemizygotes++;
      counts.alleleCount += Math.min(copies, ploidy);
      const known = cases.get(sample.case);
      cases.set(sample.case, {
        case: sample.case,
        homozygous: homozygous || known?.homozygous === true,
        hemizygous: hemizygous || known?.hemizygous === true,
        twice: copies >= 2 || known?.twice === true,
        added: later(sample.added, known?.added),
      });
      if (sample.added && (!first || sample.added < first)) first = sample.added;
      last = later(sample.added, last);
    }
    if (most === undefined) return { cases: cases.size, ...counts };
    const newest = [...cases.values()].sort(byAge);
    const detail: ObservedDetail = {
      first,
      last,
      casesCalledTwice: newest.filter(({ twice }) => twice).length,
      casesHemizygous: newest.filter(({ hemizygous }) => hemizygous).length,
      carrying: newest.slice(0, most).map(({ twice, ...observed }) => observed),
    };
    return { cases: cases.size, ...counts, detail };
  }
}

function later(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (!one || !other) return one ?? other;
  return one > other ? one : other;
}

function byAge(one: ObservedCase, other: ObservedCase): number {
  const ages =
    (other.added?.getTime() ?? Number.NEGATIVE_INFINITY) - (one.added?.getTime() ?? Number.NEGATIVE_INFINITY);
  if (ages !== 0 && !Number.isNaN(ages)) return ages;
  return one.case < other.case ? -1 : Number(one.case > other.case);
}
