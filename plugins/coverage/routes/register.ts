/** Registers the coverage plugin's routes, and the shape of their errors. */
import type { Access, PluginContext, RouteDeclaration } from '../../../core/plugin.js';
import { pageNames } from '../form/request.js';
import type { CoverageServices } from '../services.js';
import { reportsPath } from '../stored/paths.js';
import { callabilityRoutes } from './callability.js';
import { requestCounter } from './counted.js';
import { genesSummaryRoute } from './genes-summary.js';
import { detailBody } from './input.js';
import { intervalRoute } from './interval.js';
import { intervalFileRoute } from './interval-file.js';
import { listRoutes } from './interval-lists.js';
import { loadErrorBody, loadRoutes } from './interval-loading.js';
import { setRoutes } from './interval-sets.js';
import { keptRoutes } from './kept.js';
import { landingRoutes } from './landing.js';
import { pageFault } from './page-fault.js';
import { predictedSexRoute } from './predicted-sex.js';
import { registryErrorBody, registryRoutes } from './registry.js';
import { runsRoute } from './registry-runs.js';
import { demoRoutes, reportRoute } from './reports.js';
import { ticketRoute } from './tickets.js';
import { trackRoute } from './track.js';

export function registerRoutes(
  context: Pick<PluginContext<unknown>, 'route' | 'errorBody' | 'link' | 'metrics' | 'tenants'>,
  services: CoverageServices,
): void {
  const { access, settings } = services;
  const counted = requestCounter(context.metrics);
  const { httpLoading } = settings.intervals;

  const endpoints = [intervalRoute, intervalFileRoute, genesSummaryRoute, predictedSexRoute];
  for (const make of endpoints) context.route(counted(guarded(make(services), access.header)));

  // Pages link to it, and browsers send the pages' cookie.
  context.route(counted(guarded(trackRoute(services), access.link)));

  const registry = [...registryRoutes(services), runsRoute(services), ...callabilityRoutes(services)];
  for (const route of registry) context.route(counted(route));
  context.errorBody('/coverage/registry', registryErrorBody);

  const intervals = [...listRoutes(services), ...setRoutes(services), ...(httpLoading ? loadRoutes(services) : [])];
  for (const route of intervals) context.route(route);
  context.errorBody('/intervals', detailBody);
  if (httpLoading) context.errorBody('/intervals/load', loadErrorBody);

  const pageError = pageFault(services);
  for (const page of pageNames) {
    const report = guarded(reportRoute(page, services), access.form);
    for (const route of [report, ...demoRoutes(page, services)]) context.route(counted(route));
    context.errorBody(`/${page}`, pageError);
  }
  // If it matters who gets a report, it does for the form: a browser is sent to sign in before it is filled in.
  const isOpen = context.tenants === undefined && settings.authorize === undefined;
  const landing = isOpen ? undefined : access.form;
  for (const route of landingRoutes(services)) context.route(counted(guarded(route, landing)));
  // The endpoints for programs are below the page.
  context.errorBody('/coverage', (fault, status, request) =>
    (request.path === '/coverage' ? pageError : detailBody)(fault, status, request),
  );
  if (services.kept) {
    const [list, find, open] = keptRoutes(services, services.kept);
    for (const one of [guarded(list, access.link), guarded(find, access.form), guarded(open, access.link)]) {
      context.route(counted(one));
    }
    context.errorBody(reportsPath, pageError);
    context.link(reportsPath, 'Kept coverage reports');
  }
  if (services.tickets) context.route(counted(ticketRoute(services, services.tickets)));
  context.link('/coverage', 'Coverage reports');
}

/** The route with this token check, if one is configured. */
function guarded(declaration: RouteDeclaration, access: Access | undefined): RouteDeclaration {
  return access === undefined ? declaration : { ...declaration, access };
}
