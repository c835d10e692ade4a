/** The `meta` of answers and errors. */
import type { Granularity } from '../../../disclosure.js';
import { apiVersion, type BeaconRequest, type SchemaReference } from '../request/request.js';

export interface Returned {
  schemas: readonly SchemaReference[];
  granularity: Granularity;
  /** Where the next page begins. */
  next?: string | undefined;
}

/** beaconResponseMeta.json */
export function responseMeta(beaconId: string, request: BeaconRequest, { schemas, granularity, next }: Returned) {
  return {
    beaconId,
    apiVersion,
    returnedSchemas: schemas,
    returnedGranularity: granularity,
    testMode: request.testMode,
    receivedRequestSummary: received(request, next),
  };
}

/** beaconInformationalResponseMeta.json */
export function informationalMeta(beaconId: string, schemas: readonly SchemaReference[] = []) {
  return { beaconId, apiVersion, returnedSchemas: schemas };
}

/** beaconReceivedRequestSummary.json: filters are an array of text, and request parameters have objects as values. */
function received(request: BeaconRequest, next: string | undefined) {
  const { pagination, parameters, datasets } = request;
  const { skip, limit, page } = pagination;
  const requestParameters = {
    ...(Object.keys(parameters).length > 0 && { g_variant: parameters }),
    ...(datasets.length > 0 && { datasets: { datasetIds: datasets } }),
  };
  return {
    apiVersion: request.apiVersion,
    requestedSchemas: request.requestedSchemas,
    filters: request.filters.map(({ id }) => id),
    requestParameters,
    includeResultsetResponses: request.include,
    pagination: { skip, limit, ...(page !== undefined && { currentPage: page }), ...(next && { nextPage: next }) },
    requestedGranularity: request.granularity,
    testMode: request.testMode,
  };
}
