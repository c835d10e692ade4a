/** Observations as JSON. Positions are one-based, as in VCF files. */
import { z } from 'zod';
import {
  type Assembly,
  assemblies,
  contigs,
  type Dataset,
  type Observation,
  type ObservedCase,
  type ObservedQuestion,
  windowOf,
} from '../../contract.js';
import { writtenQuestion } from '../../domain/question.js';
import { mostOf, ruleOf } from './rule.js';

export const jsonType = 'application/json';

const count = z.int().min(0);
const moment = z.iso.datetime().nullable();

export const totals = z
  .strictObject({
    cases: count.describe('Distinct cases (families).'),
    samples: count,
  })
  .meta({ id: 'ObservationTotals' });

const counts = {
  dataset: z.string(),
  cases: count.describe('Distinct cases (families) with a carrier.'),
  carriers: count.describe('Samples with at least one copy.'),
  homozygotes: count.describe('Carriers called with two or more copies, where a person of their sex has two.'),
  hemizygotes: count.describe('Male carriers on X or Y outside the pseudo-autosomal regions.'),
  alleleCount: count.describe('Copies of all carriers, of each at most as many as a person of that sex has.'),
  of: totals.describe('Cases and samples in which variants of this kind were searched for.'),
  window: count.optional().describe('Structural variants: how far each end may lie from the one asked for, in bases.'),
};

export const observationBody = z.strictObject(counts).meta({ id: 'Observation' });

const caseBody = z
  .strictObject({
    case: z.string(),
    homozygous: z.boolean(),
    hemizygous: z.boolean(),
    added: moment.describe('When its newest carrier was added; null if unknown.'),
  })
  .meta({ id: 'ObservedCase' });

const detailedBody = z
  .strictObject({
    ...counts,
    rule: z.string().optional().describe('Structural variants: which ones count, in words.'),
    firstSeen: moment.describe('When the first carrier was added; null without any known date.'),
    lastSeen: moment,
    seenIn: z
      .array(caseBody)
      .optional()
      .describe('Cases with a carrier, newest first: `limit` of them from `offset` on. Needs beacon:cases.'),
    homozygousIn: z
      .array(z.string())
      .optional()
      .describe('Cases with a homozygous carrier, newest first, the first 1,000. Needs beacon:cases.'),
  })
  .meta({ id: 'DetailedObservation' });

const alleleBody = z
  .strictObject({
    chromosome: z.enum(contigs),
    position: z.int().min(1),
    reference: z.string().optional(),
    alternate: z.string().optional(),
    type: z.string().optional(),
    end: z.int().min(1).optional(),
    mateChromosome: z.enum(contigs).optional(),
    length: count.optional(),
  })
  .meta({ id: 'ObservedAllele' });

export const singleBody = z
  .strictObject({
    assembly: z.enum(assemblies),
    allele: alleleBody.describe('As it was looked for: bases that reference and alternate share are removed.'),
    observations: z.array(detailedBody).describe('One for each dataset, by id.'),
  })
  .meta({ id: 'AlleleObservations' });

export const batchBody = z
  .strictObject({
    assembly: z.enum(assemblies),
    observations: z
      .array(z.array(observationBody))
      .describe('For each allele, in the order of the request, one for each dataset, by id.'),
  })
  .meta({ id: 'BatchObservations' });

export function observationAnswer(
  { dataset, cases, carriers, homozygotes, hemizygotes, alleleCount, of }: Observation,
  question: ObservedQuestion,
  about: Pick<Dataset, 'counting'>,
): z.output<typeof observationBody> {
  const counted = { dataset, cases, carriers, homozygotes, hemizygotes, alleleCount, of };
  return question.type === 'sequence' ? counted : { ...counted, window: windowOf(question, mostOf(about)) };
}

const mostHomozygous = 1000;

export interface PageOfCases {
  limit: number;
  offset: number;
}

/** With details; with cases only if the caller may see them. */
export function detailedAnswer(
  observation: Observation,
  question: ObservedQuestion,
  about: Pick<Dataset, 'counting'>,
  page: PageOfCases | undefined,
): z.output<typeof detailedBody> {
  const { first, last, carrying = [] } = observation.detail ?? {};
  return {
    ...observationAnswer(observation, question, about),
    ...(question.type === 'structural' && { rule: ruleOf(question, mostOf(about)) }),
    firstSeen: first?.toISOString() ?? null,
    lastSeen: last?.toISOString() ?? null,
    ...(page && {
      seenIn: carrying.slice(page.offset, page.offset + page.limit).map(caseAnswer),
      homozygousIn: homozygous(carrying),
    }),
  };
}

function caseAnswer(one: ObservedCase): z.output<typeof caseBody> {
  const { homozygous, hemizygous, added } = one;
  return { case: one.case, homozygous, hemizygous, added: added?.toISOString() ?? null };
}

function homozygous(cases: readonly ObservedCase[]): string[] {
  return cases
    .filter((one) => one.homozygous)
    .slice(0, mostHomozygous)
    .map((one) => one.case);
}

export type Single = z.output<typeof singleBody>;

export function singleAnswer(
  assembly: Assembly,
  question: ObservedQuestion,
  observations: z.output<typeof detailedBody>[],
): Single {
  return { assembly, allele: writtenQuestion(question), observations };
}
