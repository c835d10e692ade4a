/** Answers of Beacon 1.1.0. What is not known is left out: no member is null, but `exists` beside an error. */
import { z } from 'zod';
import { type CountedOutOf, denominatorValues } from '../../callability/of-query.js';
import { accessTypes, type Dataset, type DatasetHit } from '../../contract.js';
import { frequencyOf } from '../../domain/denominator.js';
import { type AlleleRequest, alleleRequest } from './request.js';
import { apiVersion } from './root.js';

const count = z.int().min(0);

const datasetAlleleResponse = z
  .strictObject({
    datasetId: z.string(),
    exists: z.boolean(),
    frequency: z.number().min(0).max(1).optional().describe('Copies of the allele among those called (callCount).'),
    variantCount: count.optional().describe('Copies of the alleles that were found.'),
    callCount: count
      .optional()
      .describe(
        'Called copies of the place, if it is known which samples are covered there and the caller may know it.',
      ),
    sampleCount: count.optional().describe('Samples with a copy.'),
    note: z.string().optional(),
    externalUrl: z.string().optional(),
    info: z.looseObject({ accessType: z.enum(accessTypes) }),
  })
  .meta({ id: 'BeaconDatasetAlleleResponse' });

export type DatasetAnswer = z.output<typeof datasetAlleleResponse>;

export const alleleResponse = z
  .strictObject({
    beaconId: z.string(),
    apiVersion: z.literal(apiVersion),
    exists: z.boolean(),
    alleleRequest,
    datasetAlleleResponses: z.array(datasetAlleleResponse),
  })
  .meta({ id: 'BeaconAlleleResponse' });

export const errorResponse = z
  .strictObject({
    beaconId: z.string(),
    apiVersion: z.literal(apiVersion),
    exists: z.null(),
    error: z.strictObject({ errorCode: z.int(), errorMessage: z.string() }),
    alleleRequest: alleleRequest.optional().describe('The request, if it is a valid one.'),
    datasetAlleleResponses: z.array(datasetAlleleResponse).max(0),
  })
  .meta({ id: 'BeaconAlleleError' });

export function alleleAnswer(
  beaconId: string,
  request: AlleleRequest,
  { exists, datasets }: { exists: boolean; datasets: readonly DatasetAnswer[] },
) {
  return { beaconId, apiVersion, exists, alleleRequest: request, datasetAlleleResponses: datasets };
}

/** Without a request that is not valid: it would make the error itself invalid. */
export function errorAnswer(
  beaconId: string,
  { errorCode, errorMessage }: { errorCode: number; errorMessage: string },
  request?: AlleleRequest,
) {
  return {
    beaconId,
    apiVersion,
    exists: null,
    error: { errorCode, errorMessage },
    ...(request && { alleleRequest: request }),
    datasetAlleleResponses: [],
  };
}

/** What is told of a dataset. */
export interface Told {
  exists: boolean;
  /** Undefined if the caller may not know counts, or if they are too many to be counted; then `note` says so. */
  hit?: Pick<DatasetHit, 'calls' | 'samples'> | undefined;
  note?: string | undefined;
  /** Undefined if unknown, or not for this caller. */
  counted?: CountedOutOf | undefined;
}

export function datasetAnswer(dataset: Dataset, { exists, hit, note, counted }: Told): DatasetAnswer {
  const alleles = counted?.judged.alleles;
  const frequency = counted && frequencyOf(counted.judged);
  return {
    datasetId: dataset.id,
    exists,
    ...(frequency !== undefined && { frequency }),
    ...(hit && { variantCount: hit.calls }),
    ...(alleles && alleles.alleleNumber > 0 && { callCount: alleles.alleleNumber }),
    ...(hit && { sampleCount: hit.samples }),
    ...(note !== undefined && { note }),
    ...(dataset.externalUrl !== undefined && { externalUrl: dataset.externalUrl }),
    info: { accessType: dataset.access, ...(counted && { denominator: denominatorValues(counted) }) },
  };
}
