/** `GET|POST /beacon/v1/query`: is this allele in any dataset? */

import { z } from 'zod';
import { Fault, isFault, type RequestHead, type RouteDeclaration, route } from '../../../../core/plugin.js';
import type { BeaconServices } from '../../services.js';
import { alleleAnswer, alleleResponse, errorResponse } from './answers.js';
import { type AlleleRequest, alleleRequest, readForm, readRequest } from './request.js';
import { root } from './root.js';
import { search } from './search.js';

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

export function queryRoute(services: BeaconServices): RouteDeclaration {
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
      try {
        const asked = requestIn(request, request.method === 'POST' ? request.body : request.input);
        const caller = await services.readAccess.callerOf(request);
        const found = await search(services, asked, caller, request.signal);
        services.count(found.exists ? 'hit' : 'miss');
        return { body: alleleAnswer(services.settings.id, asked, found) };
      } catch (error) {
        services.count(isFault(error) ? error.code : 'internal');
        throw error;
      }
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
export function requestOf(request: RequestHead & { sent?: unknown }): AlleleRequest | undefined {
  if (request.path.replace(/\/$/, '') !== queryPath) return undefined;
  try {
    return requestIn(request, request.sent);
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}
