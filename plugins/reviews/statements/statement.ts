/** Statements: what was concluded about a case that was reported, and what was so already when that was stated. */
import { z } from 'zod';
import type { Assembly, Contig } from '../../../core/genome.js';

/** Times, which are text in JSON, are dates in records. */
export type Dated<Json> = {
  [Name in keyof Json]: Name extends 'recontact'
    ? 'yes' | 'no' | Date
    : Name extends 'decided' | 'keepUntil' | 'found' | 'at' | 'until'
      ? Date
      : Json[Name];
};

/** Text of which more is known than answers promise. */
const textOf = <Name extends string>() => z.string() as unknown as z.ZodType<Name, Name>;

export const conclusions = ['negative', 'uncertain', 'solved'] as const;
export type Conclusion = (typeof conclusions)[number];

export const personRoles = ['proband', 'mother', 'father', 'relative'] as const;
export const personSexes = ['female', 'male', 'unknown'] as const;

const person = z.object({
  role: z.enum(personRoles),
  isAffected: z.boolean(),
  // The id of the registered sample, which samples of the beacon's datasets have as `coverageId`.
  sample: z.string(),
  sex: z.enum(personSexes),
});
export type StatedPerson = z.infer<typeof person>;

/** An allele of the statement's build. */
export const buildAllele = z.object({
  chromosome: textOf<Contig>(),
  start: z.int().describe('Zero-based.'),
  reference: z.string(),
  alternate: z.string(),
});
export type BuildAllele = z.infer<typeof buildAllele>;

export const zygosities = ['heterozygous', 'homozygous', 'hemizygous'] as const;

export const alleleClasses = ['pathogenic', 'likely pathogenic', 'uncertain', 'likely benign', 'benign'] as const;

const statedAllele = buildAllele.extend({
  zygosity: z.enum(zygosities).optional(),
  // As the laboratory classified it.
  class: z.enum(alleleClasses).optional(),
  isBasis: z.boolean().describe('Whether the conclusion rests on it.'),
});
export type StatedAllele = z.infer<typeof statedAllele>;

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

/** Whether it is watched. */
const recontact = z.union([z.enum(['yes', 'no']), z.iso.datetime()]);

/** What was concluded about a case on one day, without what was known then. */
export const statementAnswer = z.object({
  case: z.string(),
  owner: z.string().optional().describe('The tenant.'),
  // 1 for the first; a statement supersedes the one before it.
  revision: z.int().describe('A new statement has the next one.'),
  // Exactly one proband, first.
  persons: z.array(person).readonly(),
  build: textOf<Assembly>(),
  // `byPhenotype`: the panel was chosen by the terms of the case.
  panel: z.object({ panel: z.string(), version: z.string(), byPhenotype: z.literal(true).optional() }),
  // At least one; the first is the one of holes.
  thresholds: z.array(z.int()).readonly(),
  // By name of the source: `ClinVar`, `2026-01`.
  releases: z.record(z.string(), z.string()).readonly(),
  // Ids of HPO terms.
  terms: z.array(z.string()).readonly(),
  // The submitter's id of the proband's patient at the matchmaker.
  patient: z.string().optional(),
  conclusion: z.enum(conclusions),
  alleles: z.array(statedAllele).readonly(),
  reviewer: z.string(),
  decided: z.iso.datetime(),
  // From then on it is removed.
  keepUntil: z.iso.datetime().optional(),
  recontact: recontact.describe('A time: until then.'),
  // The id of the kept report that it came from.
  report: z.string().optional(),
  // Whether there is a baseline.
  isLookedAt: z.boolean().describe('Whether it is known what was so already; without that, nothing is found.'),
});

const { shape: of } = statementAnswer;

/** As lists of cases have it. */
export const headAnswer = z.object({
  ...{ case: of.case, owner: of.owner },
  revision: of.revision.describe('A statement that supersedes it says `replaces` this.'),
  ...{ conclusion: of.conclusion, build: of.build, panel: of.panel, reviewer: of.reviewer, decided: of.decided },
  ...{ keepUntil: of.keepUntil, recontact, stored: z.iso.datetime(), isLookedAt: of.isLookedAt },
});

export interface StatementHead extends Dated<z.infer<typeof statementAnswer>> {
  stored: Date;
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
