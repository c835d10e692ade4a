/**
 * The face at /beacon/v1: Beacon 1.1.0 of GA4GH to the letter, for networks that use it. `GET|POST /beacon/v1/query` stage by
 * stage: the request, the datasets that it covers, the search, and the response of each dataset.
 */
import { z } from 'zod';
import { assemblyNamed } from '../../../../core/genome.js';
import {
  type Caller,
  Fault,
  isFault,
  type PluginContext,
  type RequestHead,
  type RouteDeclaration,
  route,
} from '../../../../core/plugin.js';
import { ask, askerOf, countingOutcome, coveredDatasets } from '../../ask.js';
import type { AlleleQuery } from '../../contract.js';
import { type DisclosedDataset, disclosedDatasets } from '../../disclosure.js';
import { areJunctions, kindsOf } from '../../domain/allele-query.js';
import { quoted } from '../../domain/written-question.js';
import { refuseUnknown } from '../../rights.js';
import type { BeaconServices } from '../../services.js';
import { positionedQuery } from '../query/positions.js';
import { infoRoutes } from './information.js';
import {
  type AlleleRequest,
  alleleAnswer,
  alleleRequest,
  alleleResponse,
  errorAnswer,
  errorResponse,
  readForm,
  readRequest,
  root,
} from './request.js';

export function registerV11(
  context: Pick<PluginContext<unknown>, 'route' | 'errorBody' | 'link'>,
  services: BeaconServices,
): void {
  for (const route of [...infoRoutes(services), queryRoute(services)]) context.route(route);
  context.errorBody(root, ({ message }, status, request) => ({
    body: errorAnswer(services.settings.id, { errorCode: status, errorMessage: message }, requestOfError(request)),
  }));
  context.link(root, 'Beacon v1.1');
}

const jsonType = 'application/json';
/** Clients of CSCfi's beacon send JSON as text, for which aiohttp sets this type. */
const textType = 'text/plain';
const formType = 'application/x-www-form-urlencoded';

const queryPath = `${root}/query`;

/** The parameters as documented; `readRequest` checks them, with messages that name the parameter. */
const { $schema: _, ...documented } = z.toJSONSchema(alleleRequest, { io: 'input' });
const parameters = z.looseObject(
  Object.fromEntries(
    Object.entries(documented.properties ?? {}).map(([name, shape]) => [
      name,
      z
        .unknown()
        .optional()
        .meta(shape as Record<string, unknown>),
    ]),
  ),
);

const failure = (description: string) => ({ description, content: { [jsonType]: errorResponse } });

function queryRoute(services: BeaconServices): RouteDeclaration {
  return route({
    method: ['GET', 'POST'],
    path: queryPath,
    operation: 'queryAllelesV11',
    summary: 'Query an allele (Beacon 1.1.0)',
    description:
      'Positions are zero-based, ends exclusive and brackets inclusive. Counts are those of 1.1.0: `variantCount` copies of ' +
      'the alleles found, `callCount` called copies of the place.',
    query: parameters,
    body: {
      types: [jsonType, formType, textType],
      alsoJson: [textType],
      schema: z.unknown().meta({ ...documented, id: undefined }),
    },
    optionalAccess: services.readAccess,
    anyOrigin: true,
    answers: {
      200: {
        description: 'Whether the allele exists, and in which datasets.',
        content: { [jsonType]: alleleResponse },
      },
      400: failure('The request is not valid.'),
      401: failure('Only protected datasets were named, without a token; or the token is not valid.'),
      403: failure('Only protected datasets were named, and the token opens none of them.'),
      429: failure('Too many wide queries are waiting. Retry later.'),
    },
    async handle(request) {
      return {
        body: await countingOutcome(services, async () => {
          const asked = requestIn(request, request.method === 'POST' ? request.body : request.input);
          const caller = await services.readAccess.callerOf(request);
          const { includeDatasetResponses: include = 'NONE' } = asked;
          const query = queryOf(asked);
          const covered = await datasetsOfRequest(services, asked, caller);
          // Alleles never change a status: a request that is too wide is answered without counts.
          const found = await ask(
            askerOf(services, caller),
            { query, covered, include },
            { signal: request.signal, wide: true },
          );
          return alleleAnswer(services.settings.id, asked, found);
        }),
      };
    },
  });
}

/** Throws an `invalid` fault. */
function requestIn({ method, headers, query }: RequestHead, sent: unknown): AlleleRequest {
  if (method === 'POST' && Object.keys(query).length > 0) {
    throw new Fault('invalid', 'A POST has its parameters in the body, not in the address');
  }
  const isForm = (headers['content-type'] ?? '').toLowerCase().startsWith(formType);
  return method === 'POST' && !isForm ? readRequest(sent) : readForm(sent);
}

/** The request that an error is about, if it is a valid one to this route. */
function requestOfError(request: RequestHead & { sent?: unknown }): AlleleRequest | undefined {
  if (request.path.replace(/\/$/, '') !== queryPath) return undefined;
  try {
    return requestIn(request, request.sent);
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

/** Throws an `invalid` fault for an unknown assembly, and for positions that contradict each other. */
function queryOf(request: AlleleRequest): AlleleQuery {
  const { assemblyId, referenceName, mateName, referenceBases, alternateBases, variantType } = request;
  const { start, end, startMin, startMax, endMin, endMax } = request;
  // The pattern of the specification also allows a patch without its point.
  const assembly = assemblyNamed(assemblyId.replace(/[.]?p(\d+)$/, '.p$1'));
  if (!assembly) {
    throw new Fault('invalid', `assemblyId must be GRCh37, GRCh38, hg19 or hg38; got ${quoted(assemblyId)}`);
  }
  const kinds = variantType && kindsOf(variantType);
  const asked = positionedQuery({
    contig: referenceName,
    mate: mateName,
    reference: referenceBases,
    alternate: alternateBases,
    kinds,
    positions: given({ start, end, startMin, startMax, endMin, endMax }),
    isFar: mateName !== undefined || areJunctions(kinds),
  });
  return { ...asked, assembly };
}

function given<Value>(values: Record<string, Value | undefined>): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, Value] => entry[1] !== undefined));
}

/**
 * The datasets of a request: those named, else all, as far as the caller may query them. One that is not listed is as if
 * absent, which is an error; if only listed ones are named that the caller may not query, the fault says what is missing.
 */
async function datasetsOfRequest(
  services: BeaconServices,
  { datasetIds = [] }: AlleleRequest,
  caller: Caller,
): Promise<readonly DisclosedDataset[]> {
  const all = await services.datasets.current();
  const open = await disclosedDatasets(services, caller, all);
  const { covered, unknown } = coveredDatasets(datasetIds, open, services.settings.listProtected ? all : []);
  refuseUnknown(unknown);
  if (datasetIds.length === 0 || covered.length > 0) return covered;
  const realm = services.baseUrl === undefined ? services.settings.id : new URL(services.baseUrl).host;
  const challenge = (error: string) => ({
    headers: { 'WWW-Authenticate': `Bearer realm="${realm.replace(/[^\x20-\x7e]|["\\]/g, '_')}", error="${error}"` },
  });
  throw caller.kind === 'anonymous'
    ? new Fault('unauthenticated', 'The requested datasets need an access token', challenge('missing_token'))
    : new Fault('forbidden', 'The access token does not open the requested datasets', challenge('insufficient_scope'));
}
