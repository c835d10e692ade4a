/**
 * What every response has: `meta`, errors in the shape of beaconErrorResponse.json, and pages, whose limit is that of the whole
 * response.
 */
import { z } from 'zod';
import type { AnswerDeclaration, ErrorBody, Fault } from '../../../../../core/plugin.js';
import type { Granularity } from '../../../disclosure.js';
import type { EntryMatches, EntryPage, EntryPageStart, EntryRecord } from './entry-type.js';
import {
  apiVersion,
  type BeaconRequest,
  emptyRequest,
  invalid,
  largestLimit,
  type Pagination,
  type SchemaReference,
} from './request.js';

interface ReturnedContent {
  schemas: readonly SchemaReference[];
  granularity: Granularity;
  /** Where the next page begins. */
  next?: string | undefined;
}

/** beaconResponseMeta.json */
export function responseMeta(
  beaconId: string,
  request: BeaconRequest,
  { schemas, granularity, next }: ReturnedContent,
) {
  return {
    beaconId,
    apiVersion,
    returnedSchemas: schemas,
    returnedGranularity: granularity,
    testMode: request.testMode,
    receivedRequestSummary: receivedRequest(request, next),
  };
}

/** beaconInformationalResponseMeta.json */
export function informationalMeta(beaconId: string, schemas: readonly SchemaReference[] = []) {
  return { beaconId, apiVersion, returnedSchemas: schemas };
}

/** beaconReceivedRequestSummary.json: filters are an array of text, and request parameters have objects as values. */
function receivedRequest(request: BeaconRequest, next: string | undefined) {
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

// Errors in the shape of beaconErrorResponse.json: with the full meta of an answer, whatever was wrong.

/** The meta repeats defaults, never the request: a value that is not valid would make the error itself invalid. */
export function beaconError(beaconId: string, fault: Fault, status: number): ErrorBody {
  const request = { ...emptyRequest, granularity: 'boolean' as const };
  return {
    body: {
      meta: responseMeta(beaconId, request, { schemas: [], granularity: 'boolean' }),
      error: { errorCode: status, errorMessage: fault.message },
    },
  };
}

const errorResponse = z
  .strictObject({
    meta: z.looseObject({}),
    error: z.strictObject({ errorCode: z.int(), errorMessage: z.string() }),
  })
  .meta({ id: 'BeaconV2Error' });

const failure = (description: string): AnswerDeclaration => ({
  description,
  content: { 'application/json': errorResponse },
});

export const failures: Record<number, AnswerDeclaration> = {
  400: failure('The request is not valid.'),
  401: failure('The token is not valid; or only datasets that need a token were named, without one.'),
  403: failure('Only protected datasets were named, and the token opens none of them.'),
  404: failure('There is no such entry, or the caller may not see it.'),
  413: failure('The body is too large.'),
  415: failure('The body is not JSON.'),
  429: failure('Too many wide queries are waiting. Retry later.'),
};

// Pages over the result sets of an answer: the limit is that of the whole answer.

/** Records that may be skipped by number. Beyond, pages follow each other by `nextPage`, which costs the same at any depth. */
const deepest = 100 * largestLimit;

interface AnswerPage {
  /** The records of the page by dataset. */
  records: ReadonlyMap<string, readonly EntryRecord[]>;
  schema: EntryPage['schema'];
  /** Token of the next page. */
  next: string | undefined;
}

/** `sets` have matches, and are in the order of the answer. */
export async function pageOfMatches(
  matches: EntryMatches,
  sets: readonly { id: string; count: number }[],
  { skip, limit, page }: Pagination,
): Promise<AnswerPage> {
  const records = new Map<string, readonly EntryRecord[]>();
  let schema: EntryPage['schema'];
  let left = limit;
  const { at, from } = page === undefined ? afterSkipped(sets, skip * limit) : afterToken(sets, page);
  let start: EntryPageStart = from;
  for (let i = at; i < sets.length; i++) {
    const { id } = sets[i] as { id: string };
    const found = await matches.page(id, start, left);
    records.set(id, found.records);
    schema ??= found.schema;
    left -= found.records.length;
    if (found.next !== undefined) return { records, schema, next: pageToken(id, found.next) };
    start = { skip: 0 };
    const following = sets[i + 1];
    if (left <= 0 && following) return { records, schema, next: pageToken(following.id) };
  }
  return { records, schema, next: undefined };
}

function afterSkipped(sets: readonly { count: number }[], records: number): { at: number; from: EntryPageStart } {
  if (records > deepest) throw invalid(`skip may pass over ${deepest} records; continue with nextPage as currentPage`);
  let left = records;
  const at = sets.findIndex(({ count }) => {
    if (left < count) return true;
    left -= count;
    return false;
  });
  return { at: at < 0 ? sets.length : at, from: { skip: left } };
}

function afterToken(sets: readonly { id: string }[], token: string): { at: number; from: EntryPageStart } {
  const { dataset, cursor } = readPageToken(token);
  const at = sets.findIndex(({ id }) => id >= dataset);
  const found = sets[at];
  if (!found) return { at: sets.length, from: { skip: 0 } };
  return { at, from: found.id === dataset && cursor !== '' ? { cursor } : { skip: 0 } };
}

function pageToken(dataset: string, cursor = ''): string {
  return Buffer.from(JSON.stringify([dataset, cursor])).toString('base64url');
}

function readPageToken(token: string): { dataset: string; cursor: string } {
  try {
    const [dataset, cursor, ...more]: unknown[] = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (typeof dataset === 'string' && typeof cursor === 'string' && more.length === 0) return { dataset, cursor };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  throw notAPage();
}

/** For entries whose cursor is not valid, too. */
export function notAPage() {
  return invalid('currentPage must be the nextPage of an earlier response');
}
