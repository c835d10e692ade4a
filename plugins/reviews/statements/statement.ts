/** Statements: what was concluded about a case that was reported, and what was so already when that was stated. */
import type { Assembly, Contig } from '../../../core/genome.js';

export const conclusions = ['negative', 'uncertain', 'solved'] as const;
export type Conclusion = (typeof conclusions)[number];

export const personRoles = ['proband', 'mother', 'father', 'relative'] as const;
export const personSexes = ['female', 'male', 'unknown'] as const;

/** A person of the case. */
export interface StatedPerson {
  role: (typeof personRoles)[number];
  isAffected: boolean;
  /** The id of the registered sample, which samples of the beacon's datasets have as `coverageId`. */
  sample: string;
  sex: (typeof personSexes)[number];
}

/** An allele of the statement's build. */
export interface BuildAllele {
  chromosome: Contig;
  /** Zero-based. */
  start: number;
  reference: string;
  alternate: string;
}

export const zygosities = ['heterozygous', 'homozygous', 'hemizygous'] as const;
export type StatedZygosity = (typeof zygosities)[number];

export const alleleClasses = ['pathogenic', 'likely pathogenic', 'uncertain', 'likely benign', 'benign'] as const;
export type AlleleClass = (typeof alleleClasses)[number];

export interface StatedAllele extends BuildAllele {
  zygosity?: StatedZygosity;
  /** As the laboratory classified it. */
  class?: AlleleClass;
  /** Whether the conclusion rests on it. */
  isBasis: boolean;
}

/** A case is named within its tenant. */
export interface CaseKey {
  /** The tenant; omitted if nothing is divided. */
  owner?: string;
  /** 1 to 100 characters. */
  case: string;
}

export function caseKey(name: string, owner: string | undefined): CaseKey {
  return { case: name, ...(owner !== undefined && { owner }) };
}

/** What was concluded about a case on one day, without what was known then. */
export interface StatementHead extends CaseKey {
  /** 1 for the first; a statement supersedes the one before it. */
  revision: number;
  /** Exactly one proband, first. */
  persons: readonly StatedPerson[];
  build: Assembly;
  /** `byPhenotype`: the panel was chosen by the terms of the case. */
  panel: { panel: string; version: string; byPhenotype?: true };
  /** At least one; the first is the one of holes. */
  thresholds: readonly number[];
  /** By name of the source: `ClinVar`, `2026-01`. */
  releases: Readonly<Record<string, string>>;
  /** Ids of HPO terms. */
  terms: readonly string[];
  /** The submitter's id of the proband's patient at the matchmaker. */
  patient?: string;
  conclusion: Conclusion;
  alleles: readonly StatedAllele[];
  reviewer: string;
  decided: Date;
  /** From then on it is removed. */
  keepUntil?: Date;
  /** Whether it is watched; a time: until then. */
  recontact: 'yes' | 'no' | Date;
  /** The id of the kept report that it came from. */
  report?: string;
  /** When it was stored. */
  stored: Date;
  /** Whether there is a baseline. */
  isLookedAt: boolean;
}

export interface Statement extends StatementHead {
  /** Undefined until it was taken: the case was not looked at yet, and has no findings. */
  baseline?: Baseline;
}

/** A statement as it is stored; `put` says when, and it has no baseline yet. */
export type NewStatement = Omit<StatementHead, 'stored' | 'isLookedAt'>;

/** What was so already when the statement was entered. Alleles as `alleleKey` names them. */
export interface Baseline {
  taken: Date;
  /** Carried or listed alleles that a known set or an annotation called (likely) pathogenic, and which did. */
  pathogenic: Readonly<Record<string, readonly FormerClass[]>>;
  /** Carried alleles of the panel's genes that passed; each in its gene: `alleleKey hgnc`. */
  passing: readonly string[];
  /** Those of them that no parent had, in the same form; and pairs known to be in trans: `alleleKey alleleKey hgnc`. */
  deNovo: readonly string[];
  trans: readonly string[];
  /** By sample: changes if calls are replaced, or a kind is called for the first time; without samples that have no calls. */
  calls: Readonly<Record<string, string>>;
  /** By sample: the standing of its coverage; without samples of unknown coverage. */
  coverage: Readonly<Record<string, string>>;
  /** Coding exons and known sites of the panel that the proband's sample did not cover at the threshold; zero-based, half-open. */
  holes: readonly Hole[];
  recurrent: readonly string[];
  common: readonly string[];
  /** Ids of matches. */
  matches: readonly string[];
  terms: readonly string[];
  /**
   * Of the panel's version: HGNC ids that were no genes any more, and the preferred transcript of each gene in its order, separated by
   * spaces (of Ensembl's ids the number); nothing between two if a gene had not exactly one.
   */
  genes?: { gone: readonly number[]; transcripts?: string };
  /** Parts that could not be looked at, each with the reason. */
  unknown?: Readonly<Record<string, string>>;
}

export interface FormerClass {
  /** The set, or who annotated. */
  by: string;
  release: string;
  /** As the source words it. */
  significance: string;
  /** 0 to 4; omitted if the source does not say. */
  stars?: number;
}

export interface Hole {
  hgnc: number;
  chromosome: Contig;
  start: number;
  end: number;
  /** The known site; omitted for an exon. */
  site?: string;
}

/** Whether an annotation means this gene: by its HGNC number, else by its symbol. */
export function isOfGene(stated: { hgnc?: number; symbol?: string }, gene: { hgnc: number; symbol: string }): boolean {
  return stated.hgnc === undefined ? stated.symbol === gene.symbol : stated.hgnc === gene.hgnc;
}

/** `1-11796320-G-A`: one-based as people write it; of structural alleles `1-1000-DEL-2000`. */
export function alleleKey(allele: BuildAllele & { end?: number; structural?: string }): string {
  const { chromosome, start, end, reference, alternate, structural } = allele;
  if (structural === undefined) return `${chromosome}-${start + 1}-${reference}-${alternate}`;
  return `${chromosome}-${start + 1}-${structural}-${end ?? start}`;
}
