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
  type StatementHead,
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

const recontact = z.union([z.enum(['yes', 'no']), z.iso.datetime()]);

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
  recontact: recontact.describe('A time: until then.'),
  report: z.string().optional(),
  isLookedAt: z.boolean().describe('Whether it is known what was so already; without that, nothing is found.'),
});

const { revision, conclusion, build, panel, reviewer, decided, keepUntil, isLookedAt, ...named } =
  statementAnswer.shape;

export const headAnswer = z.object({
  ...{ case: named.case, owner: named.owner },
  revision: revision.describe('A statement that supersedes it says `replaces` this.'),
  ...{ conclusion, build, panel, reviewer, decided, keepUntil, recontact, stored: z.iso.datetime(), isLookedAt },
});

// What an answer shows of a record is what its schema has, in this order, with times as text.

type Recorded<Answer> = { readonly [Name in keyof Answer]?: unknown };

function shown<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  record: Recorded<z.input<z.ZodObject<Shape>>>,
): z.input<z.ZodObject<Shape>> {
  return part(schema, record) as z.input<z.ZodObject<Shape>>;
}

function part(schema: unknown, value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodReadonly) return part(schema.unwrap(), value);
  if (schema instanceof z.ZodArray && Array.isArray(value)) return value.map((one) => part(schema.element, one));
  if (!(schema instanceof z.ZodObject)) return value;
  const members = value as Readonly<Record<string, unknown>>;
  const stated = Object.entries(schema.shape).filter(([name]) => members[name] !== undefined);
  return Object.fromEntries(stated.map(([name, member]) => [name, part(member, members[name])]));
}

export const statementShown = (statement: Statement) => shown(statementAnswer, statement);
export const headShown = (head: StatementHead) => shown(headAnswer, head);
export const findingShown = (one: CaseFinding) => shown(findingAnswer, { ...one, because: becauseOf(one, en) });
export const groupShown = (row: GroupRow) => shown(groupAnswer, row);

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
