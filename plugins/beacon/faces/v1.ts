/** The face at /apiv1.0: an allele-query beacon of version 1, a page for people, and routes that change data. */
import type { PluginContext } from '../../../core/plugin.js';
import type { BeaconServices } from '../services.js';
import { addRoute } from './v1/routes/add.js';
import { datasetRoute } from './v1/routes/dataset.js';
import { deleteRoute } from './v1/routes/delete.js';
import { formPath, formRoute } from './v1/routes/form.js';
import { infoRoutes } from './v1/routes/info.js';
import { messageError } from './v1/routes/message.js';
import { queryError, queryPath, queryRoute } from './v1/routes/query.js';

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
