/** What the beacon offers other plugins: how often alleles were seen, and what its datasets state of samples. */
import type { Assembly, Contig } from '../../core/genome.js';
import type { Candidate, Principal, Release } from '../../core/plugin.js';

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

/** The service `beacon/sample-facts@1`. */
export interface SampleFactsService {
  /**
   * What is known of the samples of these ids, by id: for each sample of a dataset with that `coverageId`, by dataset
   * ascending. Ids that no dataset has are left out.
   */
  factsOf(ids: readonly string[]): Promise<ReadonlyMap<string, readonly DatasetFacts[]>>;
  /**
   * The ids of those candidates, of samples that a tenant shares by a dataset and oldest first, that count for others in the figures
   * of a series: `settled`. The batches are stored with the dataset.
   */
  countingTogether(
    dataset: string,
    series: string,
    candidates: readonly Candidate[],
    release: Release,
  ): Promise<ReadonlySet<string>>;
}

/** What one dataset has on a sample. */
export interface DatasetFacts {
  dataset: string;
  /** The case that was stated; a sample without a stated case is its own case, and has none here. */
  case?: string;
  sex: Sex;
  labels: Readonly<Partial<Record<SampleLabel, string>>>;
}

export type Sex = 'female' | 'male' | 'unknown';

/** How a sample was analysed; the dates are days: `2026-01-31`. */
export type SampleLabel = 'assay' | 'run' | 'kit' | 'pipeline' | 'run_date' | 'analysis_date';

/** The service `beacon/called-depths@1`. */
export interface CalledDepthsService {
  /**
   * The depths that VCF files state of the samples with these coverage ids in datasets of the assembly, by id; ids without any
   * are left out. For programs, which do not show them: they tell where a person has variants.
   */
  depthsOf(ids: readonly string[], assembly: Assembly): Promise<ReadonlyMap<string, readonly CalledDepths[]>>;
}

/** Of one sample of one dataset. */
export interface CalledDepths {
  dataset: string;
  /** At most 200, chosen evenly among the single-base variants of autosomes, whatever their depth. */
  places: readonly CalledDepth[];
}

export interface CalledDepth {
  chromosome: Contig;
  /** Zero-based. */
  start: number;
  /** DP of the genotype. */
  depth: number;
}
