/** The alleles of a gene as JSON, with how often and in whom they were seen. */
import { z } from 'zod';
import {
  type AnnotatedAllele,
  type Assembly,
  assemblies,
  type GeneIdentity,
  type ObservedCase,
  type ObservedQuestion,
  ploidyAt,
  transcriptChoices,
} from '../../contract.js';
import type { DatasetObservation } from '../../counts/observing.js';
import { writtenQuestion } from '../../domain/written-question.js';
import { alleleBody, caseAnswer, caseBody, casesOfPage, observationAnswer, observationCounts } from './answers.js';

const count = z.int().min(0);

const transcriptBody = z
  .strictObject({
    choice: z
      .enum(transcriptChoices)
      .describe('Why the transcript was chosen; worst: it has the worst consequence of all.'),
    transcript: z.string().optional(),
    mane: z.string().optional().describe('The RefSeq transcript of MANE.'),
    terms: z.array(z.string()).describe('Consequences, the worst first.'),
    coding: z.string().optional(),
    protein: z.string().optional(),
  })
  .meta({ id: 'TranscriptConsequence' });

const searchedBody = z
  .strictObject({
    alleleCount: count.describe('Copies of the carriers (AC).'),
    alleleNumber: count.describe('Copies of the place in samples that are covered or of unknown coverage or sex (AN).'),
    unknown: count.describe('Samples of unknown coverage or sex in it, each with two copies of X and one of Y.'),
    frequency: z.number().min(0).max(1).optional().describe('AC / AN; omitted, and never too high, if AN is 0.'),
  })
  .meta({ id: 'SearchedCopies' });

const observedBody = z
  .strictObject({
    ...observationCounts,
    searched: searchedBody.describe(
      'How frequent it is if unknown coverage counts as searched: what `maxFrequency` bounds.',
    ),
    seenIn: z.array(caseBody).optional().describe('Cases with a carrier, newest first. Needs beacon:cases.'),
  })
  .meta({ id: 'GeneObservation' });

const geneAlleleBody = z
  .strictObject({
    allele: alleleBody,
    transcripts: z.array(transcriptBody).describe('Of this gene, as annotated.'),
    populationFrequency: z
      .strictObject({ value: z.number(), field: z.string().describe('The column of the annotation.') })
      .optional(),
    clinVar: z.array(z.string()).optional(),
    observations: z.array(observedBody).describe('One for each dataset, by id.'),
  })
  .meta({ id: 'GeneAllele' });

export const geneBody = z
  .strictObject({
    assembly: z.enum(assemblies),
    gene: z.strictObject({ hgnc: z.string().optional(), symbol: z.string().optional() }),
    rule: z.string().describe('What frequencies are, and what is not listed.'),
    unannotated: z.array(z.string()).describe('Datasets without annotations: what they alone have is not listed.'),
    alleles: z.array(geneAlleleBody),
    next: z.string().optional().describe('`cursor` of the next page; omitted if nothing follows.'),
  })
  .meta({ id: 'GeneObservations' });

/** An allele of the gene as a dataset annotates it, which is the worst of what they say. */
export interface RankedAllele {
  annotation: AnnotatedAllele;
  question: ObservedQuestion;
  rank: number;
}

export interface CountedRow extends RankedAllele {
  /** One for each dataset. */
  observations: readonly DatasetObservation[];
}

/** AC / AN where unknown coverage counts as searched. */
function searchedCopies(
  { observation, denominator }: DatasetObservation,
  { contig, start }: ObservedQuestion,
  assembly: Assembly,
): z.output<typeof searchedBody> {
  const { alleles, unknown, unknownSex } = denominator;
  const uncertain = unknown + unknownSex;
  const alleleNumber = (alleles?.alleleNumber ?? 0) + uncertain * ploidyAt(assembly, contig, start, 'unknown');
  const alleleCount = uncertain === 0 && alleles ? alleles.alleleCount : observation.alleleCount;
  const frequency = alleleNumber === 0 ? undefined : Math.min(1, alleleCount / alleleNumber);
  return { alleleCount, alleleNumber, unknown: uncertain, ...(frequency !== undefined && { frequency }) };
}

/** Whether anyone carries it, and not too many of any dataset. */
export function isRare(
  observations: readonly DatasetObservation[],
  question: ObservedQuestion,
  { maxFrequency, assembly }: { maxFrequency: number; assembly: Assembly },
): boolean {
  const frequencies = observations.map((one) => searchedCopies(one, question, assembly).frequency ?? 0);
  return observations.some(({ observation }) => observation.carriers > 0) && Math.max(...frequencies) <= maxFrequency;
}

export function casesShown({ observation }: DatasetObservation, limit: number): readonly ObservedCase[] {
  return casesOfPage(observation.detail?.carrying ?? [], { limit, offset: 0 });
}

interface AnswerOptions {
  assembly: Assembly;
  /** Cases in `seenIn`, at most. */
  cases: number;
  /** Levels of heteroplasmy in percent. */
  levels: readonly number[];
}

export function rowAnswer(
  { annotation, question, observations }: CountedRow,
  { assembly, cases, levels }: AnswerOptions,
): z.output<typeof geneAlleleBody> {
  const { genes, frequency, clinVar } = annotation;
  return {
    allele: writtenQuestion(question),
    transcripts: genes.flatMap(({ transcripts }) => transcripts.map((one) => ({ ...one, terms: [...one.terms] }))),
    ...(frequency && { populationFrequency: frequency }),
    ...(clinVar && { clinVar: [...clinVar] }),
    observations: observations.map((one) => ({
      ...observationAnswer(one, question, levels),
      searched: searchedCopies(one, question, assembly),
      ...(one.withCases && { seenIn: casesShown(one, cases).map(caseAnswer) }),
    })),
  };
}

export function writtenGene({ hgnc, symbol }: GeneIdentity) {
  return { ...(hgnc !== undefined && { hgnc: `HGNC:${hgnc}` }), ...(symbol !== undefined && { symbol }) };
}
