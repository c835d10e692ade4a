/** `GET|POST /apiv1.0/query`: is this allele in any dataset? */
import {
  type Caller,
  type ErrorBody,
  type Fault,
  isFault,
  type RequestHead,
  type RouteDeclaration,
  route,
} from '../../../../../core/plugin.js';
import type { AlleleQuery, Dataset, DatasetHit, SearchOptions } from '../../../contract.js';
import type { BeaconReads } from '../../../protection/reads.js';
import { included } from '../../../query/include.js';
import type { BeaconServices } from '../../../services.js';
import { datasetAnswer, errorAnswer, errorResponse, queryAnswer, queryResponse } from '../answers.js';
import { withDenominators } from '../denominators.js';
import { echoOf, formType, parameters, type Sent, sentBy } from '../parameters.js';
import { type BeaconQuery, readQuery } from '../query.js';

export const jsonType = 'application/json';

export interface Found {
  exists: boolean;
  /** The answers of single datasets that were requested. */
  responses: ReturnType<typeof datasetAnswer>[];
  /** What was searched for. */
  query: AlleleQuery;
}

/** With who asked, and of which datasets they may know. */
export interface Answered extends Found {
  caller: Caller;
  datasets: readonly Dataset[];
}

export const queryPath = '/apiv1.0/query';

/** The services that a query needs. */
export type QueryServices = Pick<
  BeaconServices,
  'settings' | 'repository' | 'guard' | 'policy' | 'denominators' | 'readAccess' | 'count'
> & {
  datasets: Pick<BeaconServices['datasets'], 'current'>;
};

export function queryRoute(services: QueryServices): RouteDeclaration {
  return route({
    method: ['GET', 'POST'],
    path: queryPath,
    operation: 'queryAlleles',
    summary: 'Query an allele',
    description: 'Positions are zero-based and ends exclusive. Anonymous callers get the public datasets only.',
    query: parameters,
    body: { types: [jsonType, formType], schema: parameters.optional() },
    optionalAccess: services.readAccess,
    anyOrigin: true,
    answers: {
      200: {
        description: 'Whether the allele exists, overall and per dataset if requested.',
        content: { [jsonType]: queryResponse },
      },
      400: { description: 'The query is not valid.', content: { [jsonType]: errorResponse } },
      403: {
        description: 'Only protected datasets were named, and the token has no right to query any of them.',
        content: { [jsonType]: errorResponse },
      },
      429: { description: 'Too many wide queries are waiting. Retry later.', content: { [jsonType]: errorResponse } },
      401: {
        description: 'Only protected datasets were named, without a token; or the token is not valid.',
        content: { [jsonType]: errorResponse },
      },
    },
    async handle(request) {
      const sent = sentBy(request, request.method === 'POST' ? (request.body ?? {}) : request.input);
      const { exists, caller, datasets, ...found } = await answered(services, request, sent);
      const responses = await withDenominators(services, caller, { ...found, datasets }, request.signal);
      return { body: queryAnswer(services.settings.id, echoOf(sent), exists, responses) };
    },
  });
}

/** A request with the signal that its client has gone. */
export type Asking = RequestHead & { signal: AbortSignal };

/** Runs a query and counts its outcome. Throws what `readQuery` and the check of the credentials throw. */
export async function answered(services: QueryServices, request: Asking, sent: Sent): Promise<Answered> {
  const { settings, guard, count } = services;
  try {
    const [datasets, caller] = await Promise.all([services.datasets.current(), services.readAccess.callerOf(request)]);
    const open = await guard.open(caller, datasets);
    const query = readQuery({ sent, datasets, caller, open, listProtected: settings.listProtected });
    const reading = { limit: settings.queries.limit, signal: request.signal };
    const found = await answer(query, guard.reads(caller), reading);
    count(found.exists ? 'hit' : 'miss');
    return { ...found, caller, datasets: open };
  } catch (error) {
    count(isFault(error) ? error.code : 'internal');
    throw error;
  }
}

/** The error response of the query and its page. */
export function queryError(
  { settings }: Pick<QueryServices, 'settings'>,
  fault: Fault,
  status: number,
  request: RequestHead & { sent?: unknown },
): ErrorBody {
  const body = request.method === 'POST' && request.sent === request.query ? {} : request.sent;
  return { body: errorAnswer(settings.id, echoOf(sentBy(request, body)), status, fault.message) };
}

async function answer(
  { include, covered, query, searched }: BeaconQuery,
  reads: BeaconReads,
  { limit, signal }: Required<SearchOptions>,
): Promise<Found> {
  if (searched.length === 0 || include === 'NONE') {
    const present = searched.length > 0 ? await reads.present(query, searched, { most: 1, signal }) : [];
    return { exists: present.length > 0, responses: responses(include, covered, []), query };
  }
  const hits = await reads.search(query, searched, { limit, signal });
  return { exists: hits.length > 0, responses: responses(include, covered, hits), query };
}

function responses(include: BeaconQuery['include'], covered: BeaconQuery['covered'], hits: readonly DatasetHit[]) {
  const found = new Map(hits.map((hit) => [hit.dataset, hit]));
  return included(
    include,
    covered.map((dataset) => datasetAnswer(dataset, found.get(dataset.id))),
  );
}
