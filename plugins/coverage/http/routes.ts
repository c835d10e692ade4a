/** Registers the coverage plugin's routes, the count of their requests, and the shape of their errors. */
import {
  type Access,
  type ErrorBody,
  type Fault,
  type FaultyRequest,
  html,
  isFault,
  type Metrics,
  type PluginContext,
  preferred,
  type RouteDeclaration,
} from '../../../core/plugin.js';
import { reportsPath } from '../report/form/fields.js';
import { pageNames } from '../report/form/request.js';
import { mediaTypes } from '../report/formats/format.js';
import { footer, framed } from '../report/html/frame.js';
import type { CoverageServices } from '../services.js';
import { textsFor } from '../texts/texts.js';
import { callabilityRoutes } from './callability.js';
import { genesSummaryRoute } from './genes-summary.js';
import { detailBody } from './input.js';
import { intervalFileRoute, intervalRoute } from './interval-coverage.js';
import { loadErrorBody, loadRoutes } from './interval-loading.js';
import { setRoutes } from './interval-sets.js';
import { listRoutes } from './intervals.js';
import { keptRoutes } from './kept-reports.js';
import { registryErrorBody, registryRoutes, runsRoute } from './registry.js';
import { demoRoutes, landingRoutes, reportRoute } from './reports.js';
import { predictedSexRoute, trackRoute } from './sample.js';
import { ticketRoute } from './tickets.js';

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

// Counts the requests to the coverage plugin by their outcome.

/** Counts the requests of one route: answered, refused (the client's fault) or failed (the server's). */
function requestCounter(metrics: Metrics): (declaration: RouteDeclaration) => RouteDeclaration {
  const count = metrics.counter('requests_total', 'Requests for reports and coverage by outcome', [
    'operation',
    'outcome',
  ]);
  return (declaration) => ({
    ...declaration,
    async handle(request) {
      const { operation } = declaration;
      try {
        const answer = await declaration.handle(request);
        count({ operation, outcome: 'answered' });
        return answer;
      } catch (error) {
        const ours = !isFault(error) || error.code === 'internal' || error.code === 'unavailable';
        count({ operation, outcome: ours ? 'failed' : 'refused' });
        throw error;
      }
    },
  });
}

// Error responses from before a form is read: a page for browsers, JSON for programs.

function pageFault({
  base,
  docs,
}: Pick<CoverageServices, 'base' | 'docs'>): (fault: Fault, status: number, request: FaultyRequest) => ErrorBody {
  return (fault, status, request) => {
    if (preferred(request.headers, [mediaTypes.json, mediaTypes.html]) !== mediaTypes.html) {
      return detailBody(fault, status, request);
    }
    const texts = textsFor(undefined, request.headers);
    const { title, statuses } = texts.refusals;
    const around = { texts, nonce: request.nonceOf(), base, docs, levels: [], hasPanels: false, mostSamples: 0 };
    const body = html`<header class="top"><div><h1>${title}</h1></div></header>
<main id="content"><section class="notices bad" role="alert"><p>${statuses[status] ?? fault.message}</p></section></main>
${footer(undefined, around, false)}`;
    return { type: `${mediaTypes.html}; charset=utf-8`, body: framed(around, title, body) };
  };
}
