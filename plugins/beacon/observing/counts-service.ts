/** How often alleles were seen, as a caller may know it, for other plugins, which see these types only. */
import { isFault, type Principal } from '../../../core/plugin.js';
import type { Assembly, SequenceQuestion } from '../contract.js';
import { chromosomeOf, sequenceQuestion } from '../domain/question.js';
import type { Recording } from '../recording.js';
import type { Counted, Observing } from './observing.js';

/** The service `beacon/counts@1`. */
export interface CountsService {
  /**
   * For each allele, in their order, its counts in the datasets of the assembly of which the caller may see counts at
   * `/observations` (`beacon:observe`, or shared by another tenant), by id; undefined if the allele cannot be looked up, such
   * as one with unknown bases. It is recorded in the audit.
   */
  counts(
    request: { principal: Principal; id: string },
    assembly: Assembly,
    alleles: readonly CountedAllele[],
    signal: AbortSignal,
  ): Promise<readonly (readonly AlleleCounts[] | undefined)[]>;
}

export interface CountedAllele {
  chromosome: string;
  /** Zero-based. */
  start: number;
  reference: string;
  alternate: string;
}

export interface AlleleCounts {
  dataset: string;
  /** Whether another tenant shares the dataset: the counts are of those of its samples that count for others. */
  shared: boolean;
  /** Samples with at least one copy, and those with two where a person of their sex has two. */
  carriers: number;
  homozygotes: number;
  /** Copies of all carriers. */
  alleleCount: number;
  /** Samples in which such alleles were searched for. */
  samples: number;
  denominator: {
    /** Reads from which on a base counts as covered. */
    threshold: number;
    /** `covered`, `notCovered`, `unknown` and those of unknown sex, where it matters, together. */
    total: number;
    covered: number;
    notCovered: number;
    unknown: number;
    /** Of samples of known coverage. */
    carriers: number;
    homozygotes: number;
    alleleCount: number;
    alleleNumber: number;
    /** Carriers that are not covered, which are among `carriers`. */
    carriersBelowThreshold: number;
  };
}

export function countsService({
  observing,
  recording,
}: {
  observing: Observing;
  recording: Pick<Recording, 'observed'>;
}): CountsService {
  return {
    async counts(request, assembly, alleles, signal) {
      const open = await observing.named(request.principal, assembly, []);
      const asked = alleles.map((allele) => questionOf(allele, assembly));
      const questions = asked.filter((question) => question !== undefined);
      if (open.length === 0 || questions.length === 0) return asked.map((question) => question && []);
      const found = await observing.count(open, assembly, questions, { signal });
      await recording.observed(request, { datasets: open, cases: [], alleles: questions.length });
      let next = 0;
      return asked.map((question) => question && found[next++]?.map(countsOf));
    },
  };
}

/** Undefined for alleles that are not plain bases, or beyond the end of the chromosome. */
function questionOf(
  { chromosome, start, reference, alternate }: CountedAllele,
  assembly: Assembly,
): SequenceQuestion | undefined {
  try {
    return sequenceQuestion(chromosomeOf('chromosome', chromosome), start + 1, reference, alternate, assembly);
  } catch (error) {
    if (!isFault(error) || error.code !== 'invalid') throw error;
    return undefined;
  }
}

function countsOf({ dataset, shared, observation, denominator }: Counted): AlleleCounts {
  const { carriers, homozygotes, alleleCount, of } = observation;
  const { threshold, total, covered, notCovered, unknown, alleles } = denominator;
  return {
    ...{ dataset: dataset.id, shared: shared !== undefined, carriers, homozygotes, alleleCount, samples: of.samples },
    denominator: {
      ...{ threshold, total, covered, notCovered, unknown },
      carriers: alleles?.carriers ?? 0,
      homozygotes: alleles?.homozygotes ?? 0,
      alleleCount: alleles?.alleleCount ?? 0,
      alleleNumber: alleles?.alleleNumber ?? 0,
      carriersBelowThreshold: alleles?.carriersBelowThreshold ?? 0,
    },
  };
}
