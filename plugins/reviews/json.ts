/** Findings and group rows as JSON and as rows of CSV. */
import { z } from 'zod';
import { separatedCell } from '../../core/plugin.js';
import {
  alleleClasses,
  type CaseFinding,
  conclusions,
  factNames,
  findingStates,
  type GroupRow,
  outcomes,
  personRoles,
  personSexes,
  reasons,
  type Statement,
  unknownFacts,
  zygosities,
} from './contract.js';
import { becauseOf, placeWords } from './pages/words.js';
import { en } from './texts/en.js';

const place = {
  chromosome: z.string(),
  start: z.int().describe('Zero-based.'),
  reference: z.string(),
  alternate: z.string(),
};

const allele = z.object({
  ...place,
  zygosity: z.enum(zygosities).optional(),
  effect: z.string().optional(),
  coding: z.string().optional(),
  protein: z.string().optional(),
  frequency: z.number().optional().describe('Of the population; unknown if absent.'),
  local: z.object({ carriers: z.int(), covered: z.int() }).optional().describe('Carriers, of so many covered samples.'),
});

const facts = z.partialRecord(z.enum(factNames), z.string());

const decision = z
  .object({
    outcome: z.enum(outcomes),
    reason: z.string(),
    by: z.string(),
    at: z.iso.datetime(),
    until: z.iso.datetime().optional(),
  })
  .optional();

const decidable = {
  id: z.string(),
  owner: z.string().optional().describe('The tenant.'),
  found: z.iso.datetime(),
  state: z.enum(findingStates),
  revision: z.int().describe('A decision names the one that was seen.'),
  decision,
};

const evidence = z.object({
  before: facts.describe('As it was when the case was reported.'),
  now: facts,
  persons: z
    .array(
      z.object({
        sample: z.string(),
        role: z.string(),
        isAffected: z.boolean(),
        copies: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal('unknown')]),
      }),
    )
    .readonly()
    .optional(),
  second: allele.extend({ phase: z.enum(['trans', 'unknown']) }).optional(),
  others: z
    .array(z.object({ case: z.string(), shared: z.array(z.string()).readonly() }))
    .readonly()
    .optional(),
  unknown: z.array(z.enum(unknownFacts)).readonly(),
});

export const findingAnswer = z.object({
  ...decidable,
  case: z.string(),
  panel: z.string(),
  reason: z.enum(reasons),
  because: z.string().describe('The end of "should be looked at because".'),
  priority: z.int(),
  gene: z.object({ hgnc: z.int(), symbol: z.string() }).optional(),
  allele: allele.optional(),
  evidence,
});

export const groupAnswer = z.object({
  ...decidable,
  kind: z.enum(['hole', 'name', 'transcript']),
  subject: z.string(),
  assay: z.string().optional(),
  release: z.string(),
  cases: z.int(),
  panels: z.array(z.string()).readonly(),
});

export const statementAnswer = z.object({
  case: z.string(),
  owner: z.string().optional().describe('The tenant.'),
  revision: z.int().describe('A new statement has the next one.'),
  persons: z
    .array(
      z.object({ role: z.enum(personRoles), isAffected: z.boolean(), sample: z.string(), sex: z.enum(personSexes) }),
    )
    .readonly(),
  build: z.string(),
  panel: z.object({ panel: z.string(), version: z.string(), byPhenotype: z.literal(true).optional() }),
  thresholds: z.array(z.int()).readonly(),
  releases: z.record(z.string(), z.string()).readonly(),
  terms: z.array(z.string()).readonly(),
  patient: z.string().optional(),
  conclusion: z.enum(conclusions),
  alleles: z
    .array(
      z.object({
        ...place,
        zygosity: z.enum(zygosities).optional(),
        class: z.enum(alleleClasses).optional(),
        isBasis: z.boolean().describe('Whether the conclusion rests on it.'),
      }),
    )
    .readonly(),
  reviewer: z.string(),
  decided: z.iso.datetime(),
  keepUntil: z.iso.datetime().optional(),
  recontact: z.union([z.enum(['yes', 'no']), z.iso.datetime()]).describe('A time: until then.'),
  report: z.string().optional(),
  isLookedAt: z.boolean().describe('Whether it is known what was so already; without that, nothing is found.'),
});

export function statementShown(statement: Statement): z.input<typeof statementAnswer> {
  const { decided, keepUntil, recontact, stored: _, baseline: __, ...rest } = statement;
  return {
    ...rest,
    decided: decided.toISOString(),
    keepUntil: keepUntil?.toISOString(),
    recontact: recontact instanceof Date ? recontact.toISOString() : recontact,
  };
}

function decidedShown({ id, owner, found, state, revision, decision: last }: CaseFinding | GroupRow) {
  return {
    ...{ id, owner, found: found.toISOString(), state, revision },
    decision: last && {
      ...{ outcome: last.outcome, reason: last.reason, by: last.by, at: last.at.toISOString() },
      until: last.until?.toISOString(),
    },
  };
}

export function findingShown(one: CaseFinding): z.input<typeof findingAnswer> {
  const { case: name, panel, reason, priority, gene, allele: carried } = one;
  const { before, now, persons, second, others, unknown } = one.evidence;
  return {
    ...{
      ...decidedShown(one),
      case: name,
      panel,
      reason,
      because: becauseOf(one, en),
      priority,
      gene,
      allele: carried,
    },
    evidence: { before, now, persons, second, others, unknown },
  };
}

export function groupShown(row: GroupRow): z.input<typeof groupAnswer> {
  const { kind, subject, assay, release, cases, panels } = row;
  return { ...decidedShown(row), kind, subject, assay, release, cases, panels };
}

// CSV (RFC 4180), safe to open in spreadsheet programs.

const columns: Readonly<Record<string, (one: CaseFinding) => string | number>> = {
  priority: ({ priority }) => priority,
  case: (one) => one.case,
  reason: ({ reason }) => reason,
  because: (one) => becauseOf(one, en),
  gene: ({ gene }) => gene?.symbol ?? '',
  hgnc: ({ gene }) => gene?.hgnc ?? '',
  allele: (one) => (one.allele ? placeWords(one.allele) : ''),
  zygosity: (one) => one.allele?.zygosity ?? '',
  carriers: (one) => one.allele?.local?.carriers ?? '',
  covered: (one) => one.allele?.local?.covered ?? '',
  panel: ({ panel }) => panel,
  found: ({ found }) => found.toISOString(),
  state: ({ state }) => state,
  outcome: (one) => one.decision?.outcome ?? '',
  decided_by: (one) => one.decision?.by ?? '',
  decision_reason: (one) => one.decision?.reason ?? '',
  unknown: ({ evidence: { unknown } }) => unknown.join(' '),
};

const csvLine = (cells: readonly (string | number)[]) =>
  `${cells.map((cell) => separatedCell(cell, ',')).join(',')}\r\n`;

/** The first line of the CSV of findings. */
export const csvHead = csvLine(Object.keys(columns));

export function csvOf(findings: readonly CaseFinding[]): string {
  return findings.map((one) => csvLine(Object.values(columns).map((cell) => cell(one)))).join('');
}
