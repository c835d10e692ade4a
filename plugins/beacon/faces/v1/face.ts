/** The face at /apiv1.0: an allele-query beacon of version 1, a page for people, and routes that change data. */
import type { PluginContext } from '../../../../core/plugin.js';
import type { BeaconServices } from '../../services.js';
import { addRoute } from './routes/add.js';
import { datasetRoute } from './routes/dataset.js';
import { deleteRoute } from './routes/delete.js';
import { formPath, formRoute } from './routes/form.js';
import { infoRoutes } from './routes/info.js';
import { messageError } from './routes/message.js';
import { queryError, queryPath, queryRoute } from './routes/query.js';

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
