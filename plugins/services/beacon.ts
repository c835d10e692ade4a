/** What the beacon offers other plugins: how often alleles were seen, and what its datasets state of samples. */
import type { Assembly, Contig } from '../../core/genome.js';
import type { Candidate, Principal, Release } from '../../core/plugin.js';
import type { PlainAllele } from './coverage.js';

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

/** The service `beacon/carried-alleles@1`. */
export interface CarriedAllelesService {
  /**
   * What datasets of the assembly have on the samples with these coverage ids, or on all samples; ids that no dataset has that the
   * reader reaches are left out. A sample that several datasets have comes once, from all of them.
   */
  samplesOf(
    reader: KnowledgeReader,
    assembly: Assembly,
    ids?: readonly string[],
  ): Promise<ReadonlyMap<string, CalledSample>>;
  /** As long as it stays the same, so do all answers to this reader about the assembly, but for coverage. */
  versionOf(reader: KnowledgeReader, assembly: Assembly): Promise<string>;
  /**
   * The alleles that a question asks for, with their carriers, in genome order. It is recorded in the audit unless the reader is a
   * program. Aborting throws the signal's reason.
   */
  carried(reader: KnowledgeReader, question: CarriedQuestion, signal: AbortSignal): Promise<CarriedAnswer>;
  /**
   * Gives an allele of plain bases the form in which answers have it, by the reference that is loaded for the assembly; undefined
   * without one. Other alleles stay.
   */
  formOf(assembly: Assembly): ((allele: PlainAllele) => PlainAllele) | undefined;
}

/**
 * For whom a service reads: a caller, with the rights of their credential; `operator`, everything on the server; or what belongs to
 * one tenant, for work that is done for it.
 */
export type KnowledgeReader = { principal: Principal; id: string } | 'operator' | { tenant: string };

/** What is known of the calls of a sample. */
export interface CalledSample {
  /** Another one whenever its calls are replaced or added to, or a kind of alleles is called for the first time. */
  stamp: string;
  datasets: readonly string[];
  /** Kinds of alleles that were searched in it, and chromosomes on which they were not. */
  searched: { small: boolean; structural: boolean };
  unsearched?: Readonly<Partial<Record<'small' | 'structural', readonly Contig[]>>>;
  sex: Sex;
  /** The case that the datasets state; its own name if none was stated. */
  case: string;
  /** Whether the person has the disease of the case; undefined if unknown. */
  affected: boolean | undefined;
  /** Ids of stated phenotypes: `HP:0001250`. */
  phenotypes: readonly string[];
  /** The assay that was stated. */
  assay?: string;
  /** Who annotated the calls, as text: `VEP v110 (ClinVar 202301)`; empty if nobody did. */
  annotations: readonly string[];
}

/** Which alleles; those that any of `genes`, `places` and `alleles` names. */
export interface CarriedQuestion {
  assembly: Assembly;
  /** Samples, by coverage id, of which one has to carry the allele; any sample of the datasets if omitted. */
  carriers?: readonly string[];
  /**
   * Alleles that an annotation puts into one of these genes, by number or symbol, with an effect of `effect` or worse there, and a
   * population frequency of at most `frequency` (or an unknown one).
   */
  genes?: { of: readonly { hgnc?: number; symbol?: string }[]; effect: 'moderate' | 'high'; frequency: number };
  /** Places (zero-based, half-open) in which alleles count that nobody annotated: coding bases and splice sites, for instance. */
  places?: readonly { chromosome: Contig; start: number; end: number }[];
  /** Of `genes` and `places`, alleles that more than so many samples carry, and more than this share, are left out. */
  common?: { carriers: number; share: number };
  /** These, whatever their effect and frequency. */
  alleles?: readonly CountedAllele[];
  /** Whether to say by coverage how many copies were searched, which takes longer. */
  denominators?: boolean;
}

export interface CarriedAnswer {
  /** In genome order. */
  alleles: readonly CarriedVariant[];
  /** By the numbers that alleles have of them: coverage ids. */
  samples: readonly string[];
  /** Ids of the datasets that were read. */
  datasets: readonly string[];
  /** Pairs of these alleles (by their places in the list) that files phase in a sample: substitutions less than nine bases apart. */
  phases: readonly { sample: number; one: number; other: number; phase: 'cis' | 'trans' }[];
}

export interface CarriedVariant {
  chromosome: Contig;
  /** Zero-based, half-open. */
  start: number;
  end: number;
  /** Bases, left-aligned where a reference is loaded; of structural alleles as the file states them. */
  reference: string;
  alternate: string;
  /** Of structural alleles: `DEL`, `DUP`, `INV`, `BND` …. Insertions and deletions that are written out in bases have none. */
  structural?: string;
  /** What annotations say, of those of several datasets the worst; empty if nobody annotated it. */
  genes: readonly CarriedEffect[];
  /** The largest of all populations and datasets, and the column it is from. */
  population?: { frequency: number; field: string };
  /** Classes of ClinVar that the annotation states. */
  clinVar?: readonly string[];
  /** Who annotated it: `VEP v110 (ClinVar 202301)`. */
  source?: string;
  /** By number in `samples`, ascending. Of structural alleles those with precisely this one. */
  carriers: readonly { sample: number; copies: number }[];
  /** Other samples that were searched for such alleles, but not called there, ascending; see `CalledSample` for those not searched. */
  uncalled: readonly number[];
  local: VariantCounts;
}

/** Over all samples of the datasets that were read; of structural alleles also those with a similar one. */
export interface VariantCounts {
  carriers: number;
  /** Samples in which such alleles were searched for, and called. */
  samples: number;
  alleleCount: number;
  /**
   * If it was asked for: of the samples those that are covered, not covered, or of unknown coverage, by the threshold of each dataset,
   * and how many copies of the place the covered ones have. A sample in two datasets counts in both.
   */
  covered?: { covered: number; notCovered: number; unknown: number; alleleNumber: number };
}

/** What an allele does to one gene, by the worst of its transcripts. */
export interface CarriedEffect {
  hgnc?: number;
  symbol?: string;
  effect: 'high' | 'moderate' | 'low' | 'modifier';
  /** Terms of the Sequence Ontology, the worst first. */
  terms: readonly string[];
  transcript?: string;
  /** HGVS without the accession. */
  coding?: string;
  protein?: string;
}
