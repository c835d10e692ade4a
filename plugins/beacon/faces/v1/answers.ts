/** Responses to queries at /apiv1.0, with the keys of the contract in alphabetical order. */
import { z } from 'zod';
import { accessTypes, type DatasetHit } from '../../contract.js';
import type { SeenDataset } from '../../protection/guard.js';
import { includes } from '../../query/include.js';
import type { Coordinate } from '../../query/positions.js';
import type { Echo, TextParameter } from './parameters.js';

/** In query responses; the beacon information prefixes it with `v`. */
export const apiVersion = '1.0.0';

export const accessInfo = z.strictObject({ accessType: z.enum(accessTypes) });
export const count = z.int().min(0);

/** As the client sent it: text, or a whole number of any size. */
const coordinate = z.union([z.string(), z.number().refine(Number.isInteger).meta({ type: 'integer' })]).optional();

export const alleleRequest = z
  .strictObject({
    alternateBases: z.string().optional(),
    assemblyId: z.string(),
    datasetIds: z.array(z.string()),
    end: coordinate,
    endMax: coordinate,
    endMin: coordinate,
    includeDatasetResponses: z.enum(includes),
    mateName: z.string().optional(),
    referenceBases: z.string().optional(),
    referenceName: z.string(),
    start: coordinate,
    startMax: coordinate,
    startMin: coordinate,
    variantType: z.string().optional(),
  } satisfies Record<TextParameter | Coordinate | 'datasetIds', z.ZodType>)
  .meta({ id: 'AlleleRequest' });

const datasetAlleleResponse = z
  .strictObject({
    callCount: count.describe('Calls of the matching alleles, over all samples'),
    datasetId: z.string(),
    exists: z.boolean(),
    info: accessInfo.extend({
      counts: z
        .literal('withheld')
        .optional()
        .describe('Of a protected dataset callers without a grant learn only whether it has the allele; counts are 0.'),
      denominator: z
        .array(z.strictObject({ key: z.string(), value: z.string() }))
        .optional()
        .describe(
          'Out of how many samples the allele was seen, as keys and values: for a query of one allele, in datasets that the ' +
            'token has the scope beacon:read for.',
        ),
    }),
    sampleCount: count.describe('Samples that carry at least one matching allele'),
    variantCount: count.describe('Matching alleles'),
  })
  .meta({ id: 'DatasetAlleleResponse' });

export const queryResponse = z
  .strictObject({
    allelRequest: alleleRequest,
    apiVersion: z.literal(apiVersion),
    beaconId: z.string(),
    datasetAlleleResponses: z.array(datasetAlleleResponse),
    error: z.null(),
    exists: z.boolean(),
  })
  .meta({ id: 'BeaconQueryResponse' });

export const errorResponse = z
  .strictObject({
    allelRequest: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
    apiVersion: z.literal(apiVersion),
    beaconId: z.string(),
    datasetAlleleResponses: z.array(datasetAlleleResponse).max(0),
    error: z.strictObject({ errorCode: z.int(), errorMessage: z.string() }),
    exists: z.null(),
  })
  .meta({ id: 'BeaconErrorResponse' });

/** The response of one dataset; without a hit it does not contain the allele. */
export function datasetAnswer(one: SeenDataset, hit: DatasetHit | undefined): z.output<typeof datasetAlleleResponse> {
  return {
    callCount: hit?.calls ?? 0,
    datasetId: one.id,
    exists: hit !== undefined,
    info: { accessType: one.access, ...(one.guarded && { counts: 'withheld' }) },
    sampleCount: hit?.samples ?? 0,
    variantCount: hit?.alleles ?? 0,
  };
}

export function queryAnswer(
  beaconId: string,
  echo: Echo,
  exists: boolean,
  datasetAlleleResponses: readonly z.output<typeof datasetAlleleResponse>[],
) {
  return { allelRequest: echo, apiVersion, beaconId, datasetAlleleResponses, error: null, exists };
}

export function errorAnswer(beaconId: string, echo: Echo, errorCode: number, errorMessage: string) {
  return {
    allelRequest: echo,
    apiVersion,
    beaconId,
    datasetAlleleResponses: [],
    error: { errorCode, errorMessage },
    exists: null,
  };
}
