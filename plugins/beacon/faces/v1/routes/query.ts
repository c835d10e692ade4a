/** `GET|POST /apiv1.0/query`: is this allele in any dataset? */
import { z } from 'zod';
import {
  type ErrorBody,
  type Fault,
  isFault,
  type RequestHead,
  type RouteDeclaration,
  route,
} from '../../../../../core/plugin.js';
import type { BeaconRepository, DatasetHit, SearchOptions } from '../../../contract.js';
import type { BeaconServices } from '../../../services.js';
import { datasetAnswer, errorAnswer, errorResponse, queryAnswer, queryResponse } from '../answers.js';
import { echoOf, type Sent, sentIn } from '../parameters.js';
import { type BeaconQuery, readQuery } from '../query.js';

export const jsonType = 'application/json';
export const formType = 'application/x-www-form-urlencoded';

/** Described here, read by domain/query.ts: its messages and their order are the contract's. */
const text = (description: string) => z.unknown().optional().meta({ type: 'string', description });
const position = (description: string) => z.unknown().optional().meta({ type: 'integer', minimum: 0, description });
export const parameters = z
  .looseObject(
    {
      assemblyId: text(
        'Genome build in GRC notation, GRCh37 or GRCh38; hg19, b37, hg38 and patches are understood too.',
      ),
      referenceName: text('Chromosome: 1-22, X, Y or MT.'),
      referenceBases: text('Bases [ACGTN]*, any case; N is any base, a lone N any bases. Required with start alone.'),
      alternateBases: text('Bases that replace the reference, as referenceBases. This or variantType is required.'),
      variantType: text('Kind of variant: SNV, INDEL, MNP, DEL, INS, DUP, INV, BND…; DUP finds DUP:TANDEM too.'),
      start: position('First base, counted from 0.'),
      end: position('One past the last base, counted from 0; for breakends the position of the mate.'),
      startMin: position('Least start of a range query.'),
      startMax: position('Greatest start of a range query.'),
      endMin: position('Least end of a range query.'),
      endMax: position('Greatest end of a range query.'),
      mateName: text('Chromosome of the other end of a breakend.'),
      datasetIds: z
        .unknown()
        .optional()
        .meta({
          type: 'array',
          items: { type: 'string' },
          description: 'Datasets to search, at most 1,000; all if omitted.',
        }),
      includeDatasetResponses: z
        .unknown()
        .optional()
        .meta({
          type: 'string',
          enum: ['ALL', 'HIT', 'MISS', 'NONE'],
          default: 'NONE',
          description: 'Datasets that are answered one by one.',
        }),
    },
    { error: 'The body must be a JSON object with the parameters of the query' },
  )
  .meta({ required: ['assemblyId', 'referenceName'] });

export interface Found {
  exists: boolean;
  /** Dataset by dataset, as far as it was asked for. */
  responses: ReturnType<typeof datasetAnswer>[];
}

export const queryPath = '/apiv1.0/query';

/** What a query needs. */
export type QueryServices = Pick<BeaconServices, 'settings' | 'repository' | 'datasets' | 'accessOf' | 'count'>;

export function queryRoute(services: QueryServices): RouteDeclaration {
  return route({
    method: ['GET', 'POST'],
    path: queryPath,
    operation: 'queryAlleles',
    summary: 'Is this allele in any dataset?',
    description: 'Positions are counted from 0; an end is exclusive. Without credentials only public datasets answer.',
    query: parameters,
    body: { types: [jsonType, formType], schema: parameters.optional() },
    anyOrigin: true,
    answers: {
      200: { description: 'Whether the allele exists.', content: { [jsonType]: queryResponse } },
      400: { description: 'The query breaks a rule.', content: { [jsonType]: errorResponse } },
      403: {
        description: 'Only protected datasets were named, and the token opens none of them.',
        content: { [jsonType]: errorResponse },
      },
      429: { description: 'Too many wide queries are waiting.', content: { [jsonType]: errorResponse } },
      401: { description: 'Only protected datasets were named.', content: { [jsonType]: errorResponse } },
    },
    async handle(request) {
      const sent = sentBy(request, request.method === 'POST' ? (request.body ?? {}) : request.input);
      const { exists, responses } = await answered(services, request, sent);
      return { body: queryAnswer(services.settings.id, echoOf(sent), exists, responses) };
    },
  });
}

/** A request for which work is done as long as its client waits. */
export type Asking = RequestHead & { signal: AbortSignal };

/** Answers a query and counts its outcome. Throws what readQuery and the check of the credentials throw. */
export async function answered(services: QueryServices, request: Asking, sent: Sent): Promise<Found> {
  const { settings, repository, count } = services;
  try {
    const [datasets, access] = await Promise.all([services.datasets(), services.accessOf(request)]);
    const query = readQuery({ sent, datasets, access, listProtected: settings.listProtected });
    const found = await answer(query, repository, { limit: settings.queries.limit, signal: request.signal });
    count(found.exists ? 'hit' : 'miss');
    return found;
  } catch (error) {
    count(isFault(error) ? error.code : 'internal');
    throw error;
  }
}

/** How errors under the query's path look. */
export function queryError(
  { settings }: Pick<QueryServices, 'settings'>,
  fault: Fault,
  status: number,
  request: RequestHead & { sent?: unknown },
): ErrorBody {
  const body = request.method === 'POST' && request.sent === request.query ? {} : request.sent;
  return { body: errorAnswer(settings.id, echoOf(sentBy(request, body)), status, fault.message) };
}

/** A POST that is no form is JSON. */
export function sentBy(request: RequestHead, parameters: unknown): Sent {
  const form = request.method !== 'POST' || (request.headers['content-type'] ?? '').toLowerCase().startsWith(formType);
  return sentIn(parameters, form);
}

async function answer(
  { include, covered, search }: BeaconQuery,
  repository: BeaconRepository,
  { limit, signal }: Required<SearchOptions>,
): Promise<Found> {
  if (!search || include === 'NONE') {
    const present = search ? await repository.present(search.query, search.datasets, { most: 1, signal }) : [];
    return { exists: present.length > 0, responses: responses(include, covered, []) };
  }
  const hits = await repository.search(search.query, search.datasets, { limit, signal });
  return { exists: hits.length > 0, responses: responses(include, covered, hits) };
}

function responses(include: BeaconQuery['include'], covered: BeaconQuery['covered'], hits: readonly DatasetHit[]) {
  if (include === 'NONE') return [];
  const all = covered.map((dataset) =>
    datasetAnswer(
      dataset,
      hits.find((hit) => hit.dataset === dataset.id),
    ),
  );
  return include === 'ALL' ? all : all.filter(({ exists }) => exists === (include === 'HIT'));
}
