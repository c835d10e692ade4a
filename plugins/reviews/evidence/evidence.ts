/** What the server knows of a case now, as the rules read it: types only. Everything was read for the tenant of the statement. */
import type { Contig } from '../../../core/genome.js';
import type { CarriedEffect, PanelGeneOfReport, PanelOfReport, Sex, VariantCounts } from '../../services/services.js';
import type { Statement } from '../contract.js';

/** What was looked at, or why it was not: "not looked at" is never "nothing found". */
export type Looked<Value> =
  | { readonly value: Value; readonly why?: undefined }
  | { readonly value?: undefined; readonly why: Unlooked };

/**
 * - `no-plugin`: no enabled plugin knows it;
 * - `no-panel`: the version does not exist, or may not be read;
 * - `no-calls`: no dataset of the build has calls of an affected person;
 * - `not-annotated`: nobody annotated the calls;
 * - `no-genes`: no genes and transcripts of the build are loaded;
 * - `no-sets`: no set of known variants of the build is loaded;
 * - `no-coverage`: the sample's coverage is not known, or not at this threshold or in this build;
 * - `no-patient`: the statement names no submission, or none that may be seen;
 * - `unavailable`: it could not be read now.
 */
export type Unlooked =
  | 'no-plugin'
  | 'no-panel'
  | 'no-calls'
  | 'not-annotated'
  | 'no-genes'
  | 'no-sets'
  | 'no-coverage'
  | 'no-patient'
  | 'unavailable';

export interface CaseEvidence {
  case: string;
  panel: {
    /** The version of the statement. */
    before: Looked<PanelOfReport>;
    /** The latest signed version, or the statement's own if none is newer. */
    now: Looked<PanelOfReport>;
  };
  /** By sample: what is known of the calls of each person of the case; persons without calls are left out. */
  samples: ReadonlyMap<string, PersonCalls>;
  /**
   * Alleles that an affected person carries, in the genes of `before` and `now`: those that are rare enough for any mode of inheritance
   * and of moderate effect or worse, those in coding bases or splice sites that nobody annotated, those that a set or an
   * annotation calls (likely) pathogenic, and those that the statement lists. By chromosome as text, then by start.
   */
  calls: Looked<readonly CarriedAllele[]>;
  /**
   * Pairs of alleles of `calls` of which files say that a person has both on one copy of the chromosome (`cis`), or on different
   * ones: only of substitutions fewer than nine bases apart. Of others the genotypes of parents tell.
   */
  phases: readonly PhasedAlleles[];
  /** What the sets and annotations say of the alleles of `calls` and of those that the statement lists, by `alleleKey`. */
  classes: Looked<ReadonlyMap<string, readonly KnownClass[]>>;
  /** Releases of the sets that were read, by name. */
  releases: Readonly<Record<string, string>>;
  /** Of the first threshold of the statement. */
  coverage: Looked<CaseCoverage>;
  matches: Looked<readonly CaseMatch[]>;
  /**
   * The genes, each once, that a panel of the case's terms has now: the only source of genes beside versions of panels, for statements whose panel
   * was chosen by terms. No plugin of ours knows any.
   */
  byTerms: Looked<readonly PanelGeneOfReport[]>;
  /** HPO ids that are stated of the proband now, by the datasets: ascending, each once. */
  terms: Looked<readonly string[]>;
  /** Whether a reference is loaded by which insertions and deletions are one form: without it they may be missed. */
  isAligned: boolean;
}

export interface PhasedAlleles {
  sample: string;
  /** `alleleKey` of both. */
  one: string;
  other: string;
  phase: 'cis' | 'trans';
}

/** What is known of the calls of a person. */
export interface PersonCalls {
  /** Another one whenever calls are replaced or added, or a kind is called for the first time. */
  stamp: string;
  searched: { small: boolean; structural: boolean };
  sex: Sex;
  /** Who annotated them; empty if nobody did. */
  annotations: readonly string[];
}

/** One allele that at least one affected person of the case carries. */
export interface CarriedAllele {
  /** `alleleKey`. */
  key: string;
  chromosome: Contig;
  /** Zero-based, half-open. */
  start: number;
  end: number;
  reference: string;
  alternate: string;
  /** Of structural alleles: `DEL`. */
  structural?: string;
  /**
   * By sample, of all persons of the case: `absent` if such alleles were searched there, the genotype was called, and coverage says
   * that the place is covered; else `unknown`.
   */
  genotypes: ReadonlyMap<string, PersonGenotype | 'absent' | 'unknown'>;
  genes: readonly AlleleGene[];
  /** The largest of populations; undefined if no annotation states one. */
  populationFrequency?: number;
  local: VariantCounts;
  /** Carriers outside of the case, in the datasets that the statement's tenant has. */
  others: readonly OtherCarrier[];
}

export interface PersonGenotype {
  copies: 1 | 2;
  /** How many copies of the place this person has, by the sex stated for them; of unknown sex on X and Y undefined. */
  of: 1 | 2 | undefined;
}

/** `unknown`: nobody annotated the allele, and it is in coding bases or splice sites of the gene. */
export interface AlleleGene extends Omit<CarriedEffect, 'effect'> {
  effect: CarriedEffect['effect'] | 'unknown';
}

export interface OtherCarrier {
  /** Coverage id. */
  sample: string;
  /** As the datasets state it: people of one case are not counted twice. */
  case: string;
  affected: boolean | undefined;
  /** Ids of stated phenotypes. */
  phenotypes: readonly string[];
  copies: number;
  /**
   * HGNC ids of the allele's genes of which the person may have no intact copy: the allele is on all of them, or another one that may
   * matter is carried, too.
   */
  whole: readonly number[];
}

export interface KnownClass {
  /** The set, or who annotated: `ClinVar`, `VEP v110 (ClinVar 202301)`. */
  by: string;
  from: 'set' | 'annotation';
  release: string;
  /** As the source words it. */
  significance: string;
  level: 'pathogenic' | 'likely pathogenic' | 'other';
  /** 0 to 4; undefined if the source does not say. */
  stars?: number;
}

export interface CaseCoverage {
  threshold: number;
  /** By sample: as `standings` of `coverage/callability@1`; samples of unknown coverage are left out. */
  standings: Readonly<Record<string, string>>;
  /** What the proband's sample does not cover now, in the genes of the statement's panel. */
  holes: readonly CoverageHole[];
  /** Of genes with holes: coding bases, and how many of them are covered. A gene under 95 % is not callable. */
  genes?: ReadonlyMap<number, { coding: number; covered: number }>;
  /** As the datasets state it of the proband's sample. */
  assay?: string;
}

/** Coding bases of an exon, or a known site, of which not every base is covered. Zero-based, half-open. */
export interface CoverageHole {
  hgnc: number;
  chromosome: Contig;
  start: number;
  end: number;
  /** Of a known site: `reference>alternate`. */
  site?: string;
  /** The other samples of the assay, at least ten, are nearly all covered there. Said of core genes, and of what the baseline lacks. */
  isAlone?: true;
}

export interface CaseMatch {
  /** Of the row in triage. */
  id: string;
  /** HGNC ids of the genes that both have, as far as they are known. */
  genes: readonly number[];
  /** Where the row stands in triage: `new`, `contacted` …; the finding closes with `irrelevant` and `solved`. */
  status: string;
  /** Of the node that has the counterpart. */
  node: string;
  path: string;
}

/** How rules judge frequencies. */
export interface PassingRules {
  /** Largest population frequencies, of alleles of which one suffices, and of others. */
  populationFrequency: { dominant: number; recessive: number };
  /** Above both of these, an allele is taken for an artefact: share of copies here, and number of carriers. */
  artefact: { frequency: number; carriers: number };
}

/** What is known of other cases and of terms; all of it may be omitted. */
export interface CommonKnowledge {
  /** Whether the person's case is solved by something else than this allele. */
  isSolvedOtherwise?(sample: string, key: string): boolean;
  /** The term and its ancestors, without the root; the term alone if the ontology does not know it. */
  lineageOf?(term: string): readonly string[];
}

/** Begins to gather for one run, which reads versions of panels once. */
export type Gatherer = () => Gather;

export interface Gather {
  /** What is known of each of these cases, in their order. */
  (statements: readonly Statement[], signal: AbortSignal): Promise<readonly KnownCase[]>;
  /** For a run that asks at least these cases; `all`: it asks all, so that nothing has to be read for it. Any case if omitted. */
  takeChanged?(all: boolean, signal: AbortSignal): Promise<ChangedCases>;
}

/** Cases of which calls or annotations may say something else since they were taken before. */
export interface ChangedCases {
  has(statement: Statement): boolean;
  /** They could not be asked. */
  giveBack(): void;
}

export interface KnownCase {
  evidence: CaseEvidence;
  common: CommonKnowledge;
}
