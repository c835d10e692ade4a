/**
 * Observations as JSON, and the rule by which structural variants count as the one of the request. Positions are one-based, as
 * in VCF files.
 */
import { z } from 'zod';
import {
  assemblies,
  carriersFrom,
  contigs,
  type Dataset,
  defaultWindow,
  isInsertion,
  keptBelow,
  longestDecomposed,
  medianFraction,
  type Observation,
  type ObservedCase,
  type ObservedFractions,
  type ObservedQuestion,
  type StructuralQuestion,
  windowOf,
} from '../../contract.js';
import type { Decomposed } from '../../counts/decomposed.js';
import {
  type DatasetDenominator,
  denominatorWords,
  depthLimits,
  frequencyOfAlleles,
  grouped,
  unknownReasons,
  upperBoundOf,
} from '../../counts/denominator.js';
import type { DatasetObservation } from '../../counts/observing.js';

export const jsonType = 'application/json';

const count = z.int().min(0);
const moment = z.iso.datetime().nullable();

export const totals = z
  .strictObject({
    cases: count.describe('Distinct cases (families).'),
    samples: count,
  })
  .meta({ id: 'ObservationTotals' });

/** A share of 1. */
const share = z.number().min(0).max(1).optional();

const denominator = {
  method: z.literal('depth').describe('How covered samples were found: by the depth of each at the place.'),
  threshold: z.int().min(1).describe('Reads that a covered sample has at every base of the place, at least.'),
  total: count.describe('Samples that were searched for such variants, of whose sex a person has the place.'),
  covered: count.describe(
    'Small variants: covered at each base of the reference, and for insertions and deletions one more on each side; structural variants: covered at both ends.',
  ),
  notCovered: count,
  unknown: count.describe('Samples whose coverage is unknown.'),
  unknownSex: count.describe(
    'X and Y: samples whose sex is unknown, which count neither as covered nor as not covered.',
  ),
  notCalled: count.describe('Other samples that could show it, whose genotype was not called there.'),
  carriers: count.optional().describe('Small variants: carriers of known coverage and sex.'),
  homozygotes: count.optional(),
  alleleCount: count.optional().describe('Copies of these carriers (AC).'),
  alleleNumber: count
    .optional()
    .describe('Copies of the place in covered samples, by sex, and in carriers below the threshold (AN).'),
  carriersBelowThreshold: count.optional().describe('Carriers that are not covered; their genotype was called.'),
  carriersUnknown: count.optional().describe('Carriers of unknown coverage or sex, which the other numbers leave out.'),
  frequency: share.describe('AC / AN; omitted if AN is 0.'),
  upperBound: share.describe('Without a carrier: the largest share of carriers that fits, at 95 % confidence.'),
};

const denominatorBody = z.strictObject(denominator).meta({ id: 'ObservationDenominator' });

const heteroplasmy = z
  .strictObject({
    atLeast: z
      .array(z.strictObject({ percent: z.int().min(1).max(100), carriers: count }))
      .describe(
        'Carriers with an allele fraction of at least so many percent; fractions are rounded down to whole percents.',
      ),
    median: z.number().min(0).max(100).optional().describe('Of the known fractions, in percent.'),
    unknown: count.describe('Carriers without a known fraction.'),
    notCounted: count.describe(
      'Further samples that carry it below the minimumHeteroplasmy of the dataset alone, which no other number counts.',
    ),
  })
  .meta({ id: 'ObservedHeteroplasmy' });

export const sharedDescription =
  'Whether another tenant shares the dataset: its counts are of the samples that count for others, without any dates or names.';

/** What every observation of a dataset has. */
export const observationCounts = {
  dataset: z.string(),
  shared: z.literal(true).optional().describe(sharedDescription),
  cases: count.describe('Distinct cases (families) with a carrier.'),
  carriers: count.describe('Samples with at least one copy.'),
  homozygotes: count.describe('Carriers called with two or more copies, where a person of their sex has two.'),
  hemizygotes: count.describe('Male carriers on X or Y outside the pseudo-autosomal regions.'),
  alleleCount: count.describe('Copies of all carriers, of each at most as many as a person of that sex has.'),
  of: totals.describe(
    'Cases and samples in which variants of this kind were searched for, without samples that were not called.',
  ),
  notCalled: count.describe(
    'Samples of which it is unknown whether they carry it: their genotype was not called, or all genotypes of the chromosome were skipped.',
  ),
  denominator: denominatorBody.describe('Out of how many samples in which it could have been seen.'),
  heteroplasmy: heteroplasmy
    .optional()
    .describe('MT: the allele fractions of the carriers; omitted if none is known, and of shared datasets.'),
  window: count.optional().describe('Structural variants: how far each end may lie from the one asked for, in bases.'),
};

const observationBody = z.strictObject(observationCounts).meta({ id: 'Observation' });

export const caseBody = z
  .strictObject({
    case: z.string(),
    homozygous: z.boolean(),
    hemizygous: z.boolean(),
    alleleFraction: share.describe('The highest of its carriers, if known: on MT, and elsewhere below 0.25.'),
    added: moment.describe('When its newest carrier was added; null if unknown.'),
  })
  .meta({ id: 'ObservedCase' });

const decomposedCounts = z.strictObject({ carriers: count, cases: count }).meta({ id: 'DecomposedCounts' });

const decomposedBody = z
  .strictObject({
    certain: decomposedCounts.describe('Surely on one copy of the chromosome.'),
    unknown: decomposedCounts.describe('Perhaps on different copies.'),
  })
  .meta({ id: 'DecomposedObservation' });

const detailedBody = z
  .strictObject({
    ...observationCounts,
    denominator: z
      .strictObject({
        ...denominator,
        words: z.string().describe('The numbers as a sentence.'),
        limits: z.string().describe('What the method does not know.'),
        unknownBecause: z
          .array(z.enum(unknownReasons))
          .describe('Why the coverage of samples of the dataset is unknown.'),
      })
      .meta({ id: 'DetailedDenominator' }),
    decomposed: decomposedBody
      .optional()
      .describe(
        `With decompose=true, of a substitution of up to ${longestDecomposed} bases: further carriers, which no other number counts, of the same change written in another way.`,
      ),
    decomposedNote: z.string().optional().describe('Why `decomposed` is left out.'),
    lowFraction: count
      .optional()
      .describe(
        `Carriers with an allele fraction below ${keptBelow} %, which may be mosaics; omitted on MT, and if none is known.`,
      ),
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

export const alleleBody = z
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
  { observation, dataset: about, shared, denominator: judged }: DatasetObservation,
  question: ObservedQuestion,
  levels: readonly number[],
): z.output<typeof observationBody> {
  const { dataset, cases, carriers, homozygotes, hemizygotes, alleleCount, of, notCalled, fractions } = observation;
  const denominator = denominatorAnswer(judged, carriers);
  const told = shared && { shared: true as const };
  const seen = { cases, carriers, homozygotes, hemizygotes, alleleCount, of, notCalled };
  const found = question.contig === 'MT' && fractions && { heteroplasmy: heteroplasmyAnswer(fractions, levels) };
  const counted = { dataset, ...told, ...seen, denominator, ...found };
  return question.type === 'sequence' ? counted : { ...counted, window: windowOf(question, windowOfDataset(about)) };
}

function heteroplasmyAnswer(fractions: ObservedFractions, levels: readonly number[]): z.output<typeof heteroplasmy> {
  const { unknown, below: notCounted } = fractions;
  const median = medianFraction(fractions);
  const atLeast = levels.map((percent) => ({ percent, carriers: carriersFrom(fractions, percent) }));
  return { atLeast, ...(median !== undefined && { median }), unknown, notCounted };
}

/** Carriers of an allele outside of MT that may be mosaics; undefined if none is known. */
export function lowFractionOf({ fractions }: Observation, { contig }: ObservedQuestion): number | undefined {
  const low = contig === 'MT' || !fractions ? 0 : carriersFrom(fractions, 0);
  return low > 0 ? low : undefined;
}

function denominatorAnswer({ reasons: _, alleles, ...counted }: DatasetDenominator, carriers: number) {
  const frequency = frequencyOfAlleles({ ...counted, alleles });
  const upperBound = upperBoundOf({ ...counted, alleles }, carriers);
  return {
    method: 'depth' as const,
    ...counted,
    ...alleles,
    ...(frequency !== undefined && { frequency }),
    ...(upperBound !== undefined && { upperBound }),
  };
}

const mostHomozygous = 1000;

export interface PageOfCases {
  limit: number;
  offset: number;
}

/** With details; with cases only if the caller may see them. */
export function detailedAnswer(
  counted: DatasetObservation,
  question: ObservedQuestion,
  page: PageOfCases | undefined,
  levels: readonly number[],
  decomposed?: Decomposed | string,
): z.output<typeof detailedBody> {
  const { observation, dataset: about, denominator: judged } = counted;
  const { first, last, carrying = [] } = observation.detail ?? {};
  const brief = observationAnswer(counted, question, levels);
  const lowFraction = lowFractionOf(observation, question);
  return {
    ...brief,
    denominator: {
      ...brief.denominator,
      words: denominatorWords(judged, observation.carriers),
      limits: depthLimits,
      unknownBecause: [...judged.reasons],
    },
    ...(typeof decomposed === 'string' ? { decomposedNote: decomposed } : decomposed && { decomposed }),
    ...(lowFraction !== undefined && { lowFraction }),
    ...(question.type === 'structural' && { rule: ruleOfQuestion(question, windowOfDataset(about)) }),
    firstSeen: first?.toISOString() ?? null,
    lastSeen: last?.toISOString() ?? null,
    ...(page && {
      seenIn: casesOfPage(carrying, page).map(caseAnswer),
      homozygousIn: homozygousCases(carrying),
    }),
  };
}

export function casesOfPage(cases: readonly ObservedCase[], { limit, offset }: PageOfCases): readonly ObservedCase[] {
  return cases.slice(offset, offset + limit);
}

/** The cases that an answer with this page of them names. */
export function casesNamed({ detail }: Observation, page: PageOfCases): string[] {
  const { carrying = [] } = detail ?? {};
  return [...new Set([...casesOfPage(carrying, page).map((one) => one.case), ...homozygousCases(carrying)])];
}

export function caseAnswer(one: ObservedCase): z.output<typeof caseBody> {
  const { homozygous, hemizygous, percent, added } = one;
  const level = percent !== undefined && { alleleFraction: percent / 100 };
  return { case: one.case, homozygous, hemizygous, ...level, added: added?.toISOString() ?? null };
}

function homozygousCases(cases: readonly ObservedCase[]): string[] {
  return cases
    .filter((one) => one.homozygous)
    .slice(0, mostHomozygous)
    .map((one) => one.case);
}

// Explains which structural variants count as the requested one.

/** The largest window of a dataset, in bases. */
export function windowOfDataset({ counting }: Pick<Dataset, 'counting'>): number {
  return counting?.window ?? defaultWindow;
}

const bases = (count: number) => (count === 1 ? '1 base' : `${grouped(count)} bases`);

/** One sentence for one question, and one that says where its window comes from. */
export function ruleOfQuestion(question: StructuralQuestion, most: number): string {
  const window = windowOf(question, most);
  const { kind, mate } = question;
  if (mate !== undefined) {
    return (
      `Counts breakends and translocations whose two ends each lie within ${bases(window)} of those asked for, written from ` +
      `either side and in any orientation. ${twice(most)}`
    );
  }
  if (kind === 'BND') {
    return `Counts breakends without a known mate within ${bases(window)} of the position asked for. ${twice(most)}`;
  }
  if (isInsertion(kind)) {
    return (
      `Counts ${kind} with a position within ${bases(window)} of the one asked for and, if both lengths are known, a length ` +
      `that differs by no more than that. ${scaled(most)}`
    );
  }
  return `Counts ${kind} whose start and end each lie within ${bases(window)} of those asked for. ${scaled(most)}`;
}

function scaled(most: number): string {
  return (
    'The window is half of the length asked for below 1,000 bases, a fifth below 10,000, else a tenth, rounded to hundreds, ' +
    `and at most ${bases(most)} in this dataset.`
  );
}

function twice(most: number): string {
  return `The window of breakends is twice the largest of this dataset, which is ${bases(most)}.`;
}
