/**
 * What the coverage plugin adds to a server: its routes (with the count of their requests and the shape of their errors), its
 * background work, its services for other plugins, the deletion of expired reports, and the demo intervals.
 */
import { keepUploads } from '../../core/files.js';
import {
  type Access,
  type ErrorBody,
  type Fault,
  type FaultyRequest,
  html,
  isFault,
  type Json,
  keepSwept,
  type Metrics,
  type PluginContext,
  preferred,
  type RouteDeclaration,
  recurring,
} from '../../core/plugin.js';
import type { CallsFit, CallsService, CoveredSamplesService, TenantCallability } from '../services/coverage.js';
import { isFilled } from './cohorts/keep.js';
import type { IntervalRepository } from './contract.js';
import type { DemoStep } from './demo/cases.js';
import { addDemo } from './demo/demo.js';
import { coverageEraser } from './eraser.js';
import { callabilityRoutes } from './http/callability.js';
import { genesSummaryRoute } from './http/genes-summary.js';
import { detailBody } from './http/input.js';
import { intervalFileRoute, intervalRoute } from './http/interval-coverage.js';
import { loadErrorBody, loadRoutes } from './http/interval-loading.js';
import { setRoutes } from './http/interval-sets.js';
import { listRoutes } from './http/intervals.js';
import { keptRoutes } from './http/kept-reports.js';
import { registryErrorBody, registryRoutes, runsRoute } from './http/registry.js';
import { demoRoutes, landingRoutes, reportRoute } from './http/reports.js';
import { predictedSexRoute, trackRoute } from './http/sample.js';
import { ticketRoute } from './http/tickets.js';
import { createGeneStructures } from './intervals/gene-structures.js';
import { announceReplaced, staleRegions, staleSets, staleSites } from './intervals/loading.js';
import {
  checkJob,
  checkSampleJob,
  checkSamplesJob,
  fillCohortsJob,
  fillJob,
  loadIntervalsJob,
  loadJob,
  makeTracksJob,
  recheckJob,
  tracksJob,
  uncheckedStates,
} from './jobs.js';
import { reportsPath } from './report/form/fields.js';
import { pageNames } from './report/form/request.js';
import { mediaTypes } from './report/formats/format.js';
import { footer, framedPage } from './report/html/page.js';
import type { ReportRepository } from './report/kept/contract.js';
import { keptReportsService } from './report/kept/search.js';
import { readSamplesRight } from './rights.js';
import { compareCalls } from './samples/calls-fit.js';
import { callsFitOf } from './samples/findings.js';
import { areTracksMade, sweepTracks } from './samples/tracks/make-tracks.js';
import { type CoverageServices, coverageServices } from './services.js';
import type { CoverageSettings } from './settings.js';
import { knownSitesService } from './sites/known-sites.js';
import { textsFor } from './texts/texts.js';

export function register(context: PluginContext<CoverageSettings>): void {
  const services = coverageServices(context);
  registerRoutes(context, services);
  registerJobs(context, services);
  context.offer(
    'coverage/callability@1',
    (): TenantCallability => ({
      ...services.callability,
      ofTenants: (names) => services.ofTenants(names).callability,
    }),
  );
  context.offer('coverage/covered-samples@1', () => coveredSamples(services));
  context.offer('coverage/calls@1', () => callsService(services));
  context.offer('coverage/gene-structures@1', () => createGeneStructures(services.intervals));
  context.offer('coverage/known-sites@1', () =>
    knownSitesService(services.sites, context.settings.intervals.maxShrink),
  );
  keepSwept(context, services.intervals, staleSets);
  keepSwept(context, services.sites, staleSites);
  keepSwept(context, services.regions, staleRegions);
  const { registry, filling, trackMaking, kept } = services;
  const { tracks } = trackMaking;
  context.onErase(coverageEraser({ registry, cohorts: filling.cohorts, tracks, kept: kept?.repository }));
  if (kept !== undefined && context.settings.reports !== undefined) {
    context.offer('coverage/kept-reports@1', () => keptReportsService(services, kept.repository));
    expireReports(context, kept.repository, context.settings.reports);
  }
  if (context.demo) {
    context.onReady(() => fillDemo(context, services.intervals));
    context.on<DemoStep>('reviews/demo@1', async (step) =>
      (await import('./demo/cases.js')).followDemo(services, step),
    );
  }
  context.onClose(services.close);
}

// Routes, with the count of their requests and the shape of their errors.

function registerRoutes(
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

/** Error responses from before a form is read: a page for browsers, JSON for programs. */
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
    return { type: `${mediaTypes.html}; charset=utf-8`, body: framedPage(around, title, body) };
  };
}

// Background work.

function registerJobs(
  context: Pick<PluginContext<unknown>, 'announce' | 'jobs' | 'on' | 'log' | 'onReady' | 'onClose'>,
  {
    settings,
    sources,
    intervals: repository,
    samples,
    registry,
    checks,
    filling,
    trackMaking,
    uploads,
    now,
  }: CoverageServices,
): void {
  const onUsed = keepUploads(context, uploads);
  const { maxShrink } = settings.intervals;
  // Handled even if loading over HTTP is off: jobs may be left from before, or be queued by another process.
  const { announce } = context;
  context.jobs.handle(loadJob, loadIntervalsJob({ repository, sources, maxShrink, uploads, onUsed, now, announce }));

  const { jobs } = context;
  jobs.handle(checkJob, checkSampleJob(registry, checks));
  jobs.handle(recheckJob, checkSamplesJob(registry, checks));
  jobs.handle(fillJob, fillCohortsJob(filling));
  jobs.handle(tracksJob, makeTracksJob(trackMaking));
  const every = (hours: number, what: string, work: () => Promise<unknown>) =>
    recurring(context, {
      what: `queueing the ${what}`,
      everyMs: hours * 3_600_000,
      work: async () => void (await work()),
    });
  const queue = (kind: string, payload: Json = {}, key = kind) => jobs.enqueue(kind, payload, { owner: 'server', key });
  every(1, 'completion of cohorts', async () => (await isFilled(filling)) || queue(fillJob));
  every(1, 'making of callable tracks', async () => {
    await sweepTracks(trackMaking);
    return (await areTracksMade(trackMaking)) || queue(tracksJob);
  });
  context.on('coverage/intervals-replaced@1', async () => void (await queue(fillJob)));
  const check = async (all: boolean) => {
    const selection = all ? {} : { states: uncheckedStates };
    const [first] = await samples.list({ ...selection, limit: 1 });
    return first && queue(recheckJob, { all }, `${recheckJob} ${all}`);
  };
  every(1, 'check of samples that were not checked', () => check(false));
  every(settings.samples.recheckHours, 'check of all samples', () => check(true));
}

// Which registered samples are covered, as a caller may know it, for other plugins.

function coveredSamples({
  forCaller,
  recording,
}: Pick<CoverageServices, 'forCaller' | 'recording'>): CoveredSamplesService {
  return {
    async covered(request, question, signal) {
      const reached = await forCaller(request.principal, readSamplesRight).catch((error: unknown) => {
        if (!isFault(error) || error.code !== 'forbidden') throw error;
        return undefined;
      });
      if (reached === undefined) return undefined;
      const answer = await reached.callability.covered(question, signal);
      const samples = async () => (await reached.samples.find(question.groups.flat())).map(({ id }) => id);
      await recording.shown(request, { action: 'callability', what: 'covered', samples, right: readSamplesRight });
      return answer;
    },
  };
}

// Whether calls of the beacon and registered coverage files belong together.

function callsService({ registry, comparing }: Pick<CoverageServices, 'registry' | 'comparing'>): CallsService {
  return {
    async compare(dataset, ids, { names, signal }) {
      const found: CallsFit[] = [];
      for (const sample of await registry.samples.find(ids)) {
        if (sample.state !== 'ready' || !comparing.areOfOneTenant(dataset, [sample.file.path])) continue;
        for (const one of await compareCalls(sample, comparing, signal)) {
          if (one.figures?.dataset === dataset) found.push(...callsFitOf(sample.id, one, names));
        }
      }
      return found;
    },
  };
}

// Deletes kept reports when their time is over.

const day = 24 * 60 * 60 * 1000;

export function expireReports(
  context: Pick<PluginContext<unknown>, 'now' | 'log' | 'onReady' | 'onClose'>,
  repository: Pick<ReportRepository, 'expire'>,
  { days }: { days: number },
): void {
  recurring(context, {
    what: 'deleting kept reports whose time is over',
    everyMs: 60 * 60 * 1000,
    async work() {
      const deleted = await repository.expire(new Date(context.now().getTime() - days * day));
      if (deleted > 0) context.log.info({ reports: deleted }, 'kept reports deleted, whose time was over');
    },
  });
}

// The demo.

/** Loads the demo intervals before the server is ready, if nothing is loaded yet. */
async function fillDemo(
  { announce, log, now }: Pick<PluginContext<unknown>, 'announce' | 'log' | 'now'>,
  repository: IntervalRepository,
): Promise<void> {
  const sets = await addDemo(repository, now());
  await announceReplaced({ announce }, sets);
  if (sets.length > 0) log.info({ sets: sets.length }, 'demo intervals added');
}
