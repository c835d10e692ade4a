/** The face at /beacon/v1: Beacon 1.1.0 of GA4GH to the letter, for networks that speak it. */
import type { PluginContext } from '../../../core/plugin.js';
import type { BeaconServices } from '../services.js';
import { errorAnswer } from './v11/answers.js';
import { infoRoutes } from './v11/info-routes.js';
import { queryRoute, requestOf } from './v11/query-route.js';
import { root } from './v11/root.js';

export function registerV11(
  context: Pick<PluginContext<unknown>, 'route' | 'errorBody' | 'link'>,
  services: BeaconServices,
): void {
  for (const route of [...infoRoutes(services), queryRoute(services)]) context.route(route);
  context.errorBody(root, ({ message }, status, request) => ({
    body: errorAnswer(services.settings.id, { errorCode: status, errorMessage: message }, requestOf(request)),
  }));
  context.link(root, 'Beacon v1.1');
}
