/** The matchmaker's paths. */
import { exposed, type PluginContext } from '../../../core/plugin.js';
import { errorBody } from '../http/errors.js';
import type { MatchmakerServices } from '../services.js';
import { addRoute } from './add.js';
import { dashboardExposure, dashboardPath, dashboardRoute } from './dashboard.js';
import { deleteRoute } from './delete.js';
import { externalRoute } from './external.js';
import { importRoute } from './import.js';
import { infoRoutes } from './info.js';
import { matchRoute } from './match.js';
import { matchesRoute } from './matches.js';
import { patientRoutes } from './patients.js';

/** Paths with the error body of the exchange. */
const prefixes = ['/patient', '/patients', '/match', '/matches', '/metrics', '/nodes', '/heartbeat'];

export function registerRoutes(
  context: Pick<PluginContext<unknown>, 'route' | 'errorBody' | 'link' | 'operatorAccess'>,
  services: MatchmakerServices,
): void {
  const routes = [
    addRoute(services),
    importRoute(services),
    deleteRoute(services),
    ...patientRoutes(services),
    matchRoute(services),
    externalRoute(services),
    matchesRoute(services),
    ...infoRoutes(services),
  ];
  for (const route of routes) context.route(route);
  for (const prefix of prefixes) context.errorBody(prefix, errorBody);

  const exposure = dashboardExposure(services.settings);
  for (const route of exposed(dashboardRoute(services), exposure, context.operatorAccess)) context.route(route);
  if (exposure !== 'off') context.link(dashboardPath, 'Dashboard');
}
