/**
 * Findings of cases and rows for many cases: what a person decides about. The schemas are what answers have of them; records have
 * dates in place of times as text.
 */
import { z } from 'zod';
import { buildAllele, type CaseKey, type Dated, zygosities } from './statements/statement.js';

/** `hole` and `transcript`: what is a row for many cases, where a case gets a finding of its own. */
export const reasons = [
  'panel',
  'raised',
  'lowered',
  'covered',
  'calls',
  'recurrence',
  'match',
  'terms',
  'hole',
  'transcript',
] as const;
export type Reason = (typeof reasons)[number];

export const outcomes = ['reopened', 'no change', 'later'] as const;

/** What is to be known of a finding's allele. */
const findingAllele = buildAllele.extend({
  zygosity: z.enum(zygosities).optional(),
  class: z.string().optional().describe('With its source, release and stars.'),
  origin: z.enum(['de novo', 'mother', 'father']).optional().describe("Of the proband's copy."),
  // Omitted if these two make no pair.
  phase: z.enum(['trans', 'unknown']).optional().describe('Of a partner: with the first allele.'),
  copies: z
    .record(z.string(), z.literal([0, 1, 2, 'unknown']))
    .optional()
    .describe('By sample of a person.'),
  effect: z.string().optional(),
  // HGVS, as `protein`.
  coding: z.string().optional(),
  protein: z.string().optional(),
  frequency: z.number().optional().describe('Of the population; unknown if absent.'),
  local: z.object({ carriers: z.int(), covered: z.int() }).optional().describe('Carriers, of so many covered samples.'),
});
export type FindingAllele = z.infer<typeof findingAllele>;

/**
 * `panel` (`iem@5.0`), `confidence` and `inheritance` as the panel words them; `class` with its source, release and stars; `calls`
 * and `coverage`: when they changed, or what is covered; `terms`; `local`: `12 of 300`; `match`: the node and the state of its row;
 * `transcripts`: of which the bases are coding. Of several alleles they are those of the first.
 */
export const factNames = [
  'panel',
  'confidence',
  'inheritance',
  'class',
  'calls',
  'coverage',
  'terms',
  'local',
  'match',
  'transcripts',
] as const;
export type FactName = (typeof factNames)[number];

/** What is not known of a finding; `indels`: without a reference others may be missed. */
export const unknownFacts = [
  'phase',
  'inheritance',
  'frequency',
  'consequence',
  'sex',
  'class',
  'stars',
  'indels',
] as const;
export type UnknownFact = (typeof unknownFacts)[number];

const facts = z.partialRecord(z.enum(factNames), z.string());

/** By which a reader checks the finding: facts before and now by name, and what is unknown. */
const evidence = z.object({
  before: facts.describe('As it was when the case was reported.'),
  now: facts,
  // Other alleles of a recessive gene: those in trans first.
  partners: z.array(findingAllele).readonly().optional().describe('Without which its allele does not fit.'),
  // Other cases of the same tenant with the allele, and the terms that they share.
  others: z
    .array(z.object({ case: z.string(), shared: z.array(z.string()).readonly() }))
    .readonly()
    .optional(),
  unknown: z.array(z.enum(unknownFacts)).readonly(),
});
export type FindingEvidence = z.infer<typeof evidence>;

/** `gone`: its evidence does not hold any more. */
export const findingStates = ['open', 'later', 'decided', 'gone'] as const;
export type FindingState = (typeof findingStates)[number];

const decision = z.object({
  outcome: z.enum(outcomes),
  reason: z.string(),
  by: z.string(),
  at: z.iso.datetime(),
  // Of `later`: then it is open again.
  until: z.iso.datetime().optional(),
});

export interface ReviewDecision extends Dated<z.infer<typeof decision>> {
  /** What the decision was about. */
  rests: string;
}

/** What answers have of all that a person decides about. */
const decidable = z.object({
  id: z.string(),
  owner: z.string().optional().describe('The tenant.'),
  // When it was found, or returned.
  found: z.iso.datetime(),
  state: z.enum(findingStates),
  // One more with each change.
  revision: z.int().describe('A decision names the one that was seen.'),
  // The last one, also of a finding that is open again since its evidence changed.
  decision: decision.optional(),
});

export const findingAnswer = decidable.extend({
  case: z.string(),
  // That of the statement.
  panel: z.string(),
  reason: z.enum(reasons),
  because: z.string().describe('The end of "should be looked at because".'),
  // 1, the most urgent, to 6.
  priority: z.int(),
  gene: z.object({ hgnc: z.int(), symbol: z.string() }).optional(),
  allele: findingAllele.optional(),
  evidence,
});

export const groupAnswer = decidable.extend({
  kind: z.enum(['hole', 'name', 'transcript']),
  // The gene or site, for people to read.
  subject: z.string(),
  assay: z.string().optional(),
  release: z.string(),
  cases: z.int(),
  panels: z.array(z.string()).readonly(),
});

export interface Decidable extends Dated<Pick<z.infer<typeof decidable>, 'found' | 'state' | 'revision'>> {
  decision?: ReviewDecision;
}

/** A finding as rules compute it. */
export interface ComputedFinding
  extends Pick<z.infer<typeof findingAnswer>, 'reason' | 'priority' | 'gene' | 'allele' | 'evidence'> {
  /** Digest of the case, the reason and what it is about: the same however often it is computed. */
  id: string;
  /** Digest of that part of the evidence that a decision is about. */
  rests: string;
}

/** All alleles of a finding, its own first. */
export function allelesOf({
  allele,
  evidence: { partners },
}: Pick<ComputedFinding, 'allele' | 'evidence'>): FindingAllele[] {
  return [allele ?? [], partners ?? []].flat();
}

export interface CaseFinding extends ComputedFinding, CaseKey, Decidable {
  panel: string;
}

/** A row for each gene or site, assay and release, with the number of cases behind it. */
export interface ComputedGroupRow
  extends Omit<z.infer<typeof groupAnswer>, 'found' | 'state' | 'revision' | 'decision'> {
  /** Digest of the owner and what it is about. */
  id: string;
  hgnc?: number;
  evidence: FindingEvidence;
  rests: string;
}

export interface GroupRow extends ComputedGroupRow, Decidable {}
