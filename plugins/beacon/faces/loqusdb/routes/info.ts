/** `GET /`: the version, by which Scout decides whether it can use the service. */
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../../../core/plugin.js';
import { loqusdbVersion } from '../../../loqusdb/documents.js';
import type { LoqusdbFace } from '../face.js';
import { error, jsonType } from './shape.js';

export function infoRoute({ path }: LoqusdbFace): RouteDeclaration {
  return route({
    method: 'GET',
    path: path('/'),
    operation: 'loqusdbInfo',
    summary: 'The version of loqusdb whose routes are served',
    answers: {
      200: {
        description: 'The version.',
        content: { [jsonType]: z.strictObject({ message: z.string(), loqusdb_version: z.string() }) },
      },
      403: error('The request comes from an address that is not configured.'),
    },
    handle() {
      return { body: { message: 'Welcome to the loqusdbapi', loqusdb_version: loqusdbVersion } };
    },
  });
}
