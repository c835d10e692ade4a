/** Findings and group rows as JSON and as rows of CSV. */
import { z } from 'zod';
import { separatedCell } from '../../core/plugin.js';
import {
  type CaseFinding,
  findingAnswer,
  type GroupRow,
  groupAnswer,
  headAnswer,
  type Statement,
  type StatementHead,
  statementAnswer,
} from './contract.js';
import { becauseOf, placeWords } from './pages/words.js';
import { en } from './texts/en.js';

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
  partners: ({ evidence: { partners = [] } }) => partners.map(placeWords).join('; '),
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
