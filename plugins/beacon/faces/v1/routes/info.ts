/** `GET /apiv1.0/` and `/apiv1.0/info`: describe the beacon and its datasets. */
import { type RouteDeclaration, route } from '../../../../../core/plugin.js';
import type { BeaconServices } from '../../../services.js';
import { type Identity, infoResponse, information } from '../information.js';
import { formPath } from './form.js';

export function infoRoutes(services: BeaconServices): RouteDeclaration[] {
  const { settings, readAccess, version, started, baseUrl } = services;
  const formUrl = baseUrl === undefined ? null : baseUrl + formPath;
  const identity: Identity = {
    settings: { ...settings, welcomeUrl: settings.welcomeUrl ?? formUrl },
    version,
    started,
  };
  const declare = (path: string, operation: string) =>
    route({
      method: 'GET',
      path,
      operation,
      summary: 'What the beacon is and which datasets it has',
      description:
        'Of a dataset that the client may not query, counts are 0, both dates are that of its creation, and its info ' +
        'says `counts: "withheld"`.',
      optionalAccess: readAccess,
      anyOrigin: true,
      answers: {
        200: {
          description: 'The beacon, its datasets with their totals, and requests that it answers with a hit.',
          content: { 'application/json': infoResponse },
        },
      },
      handle: async (request) => ({
        body: await information(identity, services, await readAccess.callerOf(request)),
      }),
    });
  return [declare('/apiv1.0', 'beacon'), declare('/apiv1.0/info', 'beaconInfo')];
}
