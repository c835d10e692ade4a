/** The face at /apiv1.0: an allele-query beacon of version 1, a page for people, and routes that change data. */
import { type PluginContext, type RouteDeclaration, route } from '../../../../core/plugin.js';
import type { BeaconServices } from '../../services.js';
import { addRoute } from './add.js';
import { messageError } from './answers.js';
import { datasetRoute, deleteRoute } from './dataset.js';
import { formPath, formRoute } from './form.js';
import { infoResponse, information } from './information.js';
import { queryError, queryPath, queryRoute } from './query.js';

export function registerV1(
  context: Pick<PluginContext<unknown>, 'route' | 'errorBody' | 'link'>,
  services: BeaconServices,
): void {
  for (const route of [...infoRoutes(services), queryRoute(services), formRoute(services)]) context.route(route);
  for (const path of [queryPath, formPath]) {
    context.errorBody(path, (...error) => queryError(services, ...error));
  }
  for (const route of [addRoute(services), deleteRoute(services), datasetRoute(services)]) {
    context.route(route);
    context.errorBody(route.path, messageError);
  }
  context.link(formPath, 'Query form');
  context.link('/apiv1.0/', 'Beacon information');
}

// `GET /apiv1.0/` and `/apiv1.0/info`: describe the beacon and its datasets.

function infoRoutes(services: BeaconServices): RouteDeclaration[] {
  const { settings, readAccess, baseUrl } = services;
  const formUrl = baseUrl === undefined ? null : baseUrl + formPath;
  const welcoming = { ...services, settings: { ...settings, welcomeUrl: settings.welcomeUrl ?? formUrl } };
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
        body: await information(welcoming, await readAccess.callerOf(request)),
      }),
    });
  return [declare('/apiv1.0', 'beacon'), declare('/apiv1.0/info', 'beaconInfo')];
}
