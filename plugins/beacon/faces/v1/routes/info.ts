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
      summary: 'Describe the beacon and its datasets',
      description:
        'Datasets that the caller may not query have counts of 0, the date of their creation in both dates, and ' +
        '`counts: "withheld"` in their info.',
      optionalAccess: readAccess,
      anyOrigin: true,
      answers: {
        200: {
          description: 'The beacon, its datasets with their totals, and example queries that have a hit.',
          content: { 'application/json': infoResponse },
        },
      },
      handle: async (request) => ({
        body: await information(identity, services, await readAccess.callerOf(request)),
      }),
    });
  return [declare('/apiv1.0', 'beacon'), declare('/apiv1.0/info', 'beaconInfo')];
}
