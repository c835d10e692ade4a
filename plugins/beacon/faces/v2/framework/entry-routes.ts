/** Routes of entries: one for each endpoint of the map. */
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../../../core/plugin.js';
import { framework } from '../request/get.js';
import { answer } from './answer.js';
import { type Endpoint, endpointSets } from './endpoints.js';
import { failures } from './errors.js';
import { type Face, root } from './face.js';
import { bodyDeclaration, queryDeclaration, requestOf } from './reading.js';

const answered = z
  .looseObject({
    meta: z.looseObject({}),
    responseSummary: z.looseObject({ exists: z.boolean() }),
    response: z.looseObject({}).optional().describe('Result sets or collections; absent unless records are returned.'),
  })
  .meta({ id: 'BeaconV2Answer' });

const params = z.object({ id: z.string().optional() });

export function entryRoutes(face: Face): RouteDeclaration[] {
  return endpointSets(face.entryTypes).flatMap(({ all, single, related }) =>
    [all, single, ...related.values()].map((endpoint) => entryRoute(face, endpoint)),
  );
}

function entryRoute(face: Face, { path, returns, place }: Endpoint): RouteDeclaration {
  const { granularity } = face.services.settings.disclosure;
  const accepted = { framework, parameters: returns.parameters, granularity };
  return route({
    method: ['GET', 'POST'],
    path: root + path.replace('{id}', ':id'),
    operation: operationOf(path),
    summary: `${returns.name}: ${path}`,
    description: returns.description,
    params,
    query: queryDeclaration(accepted),
    body: bodyDeclaration,
    optionalAccess: face.services.readAccess,
    anyOrigin: true,
    answers: {
      200: {
        description: 'Whether there are entries, how many, or which.',
        content: { 'application/json': answered },
      },
      ...failures,
    },
    async handle(head) {
      const request = requestOf(head, accepted);
      return { body: await answer(face, returns, place(head.params.id ?? ''), request, head) };
    },
  });
}

/** `beaconV2DatasetsIdGVariants` */
function operationOf(path: string): string {
  const words = path.match(/[A-Za-z]+/g) ?? [];
  return `beaconV2${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`;
}
