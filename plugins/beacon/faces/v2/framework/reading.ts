/** The input of the face's routes: declared for the API description, and read. */
import { z } from 'zod';
import type { BodyDeclaration, RequestHead } from '../../../../../core/plugin.js';
import { type Accepted, requestOfQuery } from '../request/get.js';
import { refuseCredentials } from '../request/parameters.js';
import { requestOfBody } from '../request/post.js';
import type { BeaconRequest } from '../request/request.js';
import { invalid } from '../request/values.js';

/** Largest body in bytes; bodies of requests have a few hundred. */
const largestBody = 64 * 1024;

const parameter = z.unknown().optional().meta({ type: 'string' });
/** By their names: many endpoints accept the same parameters. */
const declared = new Map<string, ReturnType<typeof declare>>();

/** The readers check values, since errors name all that is accepted. */
export function queryDeclaration({ framework, parameters }: Accepted) {
  const names = [...framework, ...Object.keys(parameters)];
  const key = names.join();
  const known = declared.get(key) ?? declare(names);
  declared.set(key, known);
  return known;
}

function declare(names: readonly string[]) {
  return z.looseObject(Object.fromEntries(names.map((name) => [name, parameter])));
}

export const bodyDeclaration: BodyDeclaration<unknown> = {
  types: ['application/json'],
  limit: largestBody,
  schema: z
    .unknown()
    .optional()
    .meta({ type: 'object', description: 'A request as in beaconRequestBody.json of Beacon v2.1.1; may be empty.' }),
};

/** Reads a GET or a POST. */
export function requestOf(
  head: Pick<RequestHead, 'method' | 'query'> & { body: unknown },
  accepted: Accepted,
): BeaconRequest {
  if (head.method !== 'POST') return requestOfQuery(head.query, accepted);
  const names = Object.keys(head.query);
  refuseCredentials(names);
  if (names.length > 0) throw invalid('A POST has its parameters in the body, not in the address');
  return requestOfBody(head.body, accepted);
}
