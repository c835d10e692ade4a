/** `GET /beacon/v1/` and `/beacon/v1/service-info`: describe the beacon. */
import { type RouteDeclaration, route } from '../../../../core/plugin.js';
import { serverOf } from '../../server-address.js';
import type { BeaconServices } from '../../services.js';
import { beaconOf, beaconResponse, serviceInfoOf, serviceInfoResponse } from './information.js';
import { root } from './root.js';

export function infoRoutes(services: BeaconServices): RouteDeclaration[] {
  const { readAccess, baseUrl } = services;
  return [
    route({
      method: 'GET',
      path: root,
      operation: 'beaconV11',
      summary: 'Describe the beacon and its datasets (Beacon 1.1.0)',
      optionalAccess: readAccess,
      anyOrigin: true,
      answers: {
        200: {
          description: 'The beacon, its datasets, and example requests that have a hit.',
          content: { 'application/json': beaconResponse },
        },
      },
      handle: async (request) => ({ body: await beaconOf(services, await readAccess.callerOf(request)) }),
    }),
    route({
      method: 'GET',
      path: `${root}/service-info`,
      operation: 'beaconV11Service',
      summary: 'Describe the service (GA4GH service info)',
      optionalAccess: readAccess,
      anyOrigin: true,
      answers: {
        200: { description: 'The service.', content: { 'application/json': serviceInfoResponse } },
      },
      handle: async (request) => ({
        body: await serviceInfoOf(
          services,
          await readAccess.callerOf(request),
          serverOf(baseUrl, request.headers.host),
        ),
      }),
    }),
  ];
}
