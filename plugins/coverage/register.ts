/**
 * What the coverage plugin adds to a server: its routes, its background work, its services for other plugins, the deletion of
 * expired reports, and the demo intervals.
 */
import { keepUploads } from '../../core/files.js';
import { isFault, keepSwept, type PluginContext, recurring } from '../../core/plugin.js';
import type { CoveredSamplesService, KeptReportsService, TenantCallability } from '../services/coverage.js';
import { isFilled } from './cohorts/keep.js';
import type { IntervalRepository } from './contract.js';
import { addDemo } from './demo/demo.js';
import { coverageEraser } from './eraser.js';
import { registerRoutes } from './http/routes.js';
import { createGeneStructures } from './intervals/gene-structures.js';
import { announceReplaced, staleSets, staleSites } from './intervals/loading.js';
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
  unchecked,
} from './jobs.js';
import { pathOfGene } from './report/form/fields.js';
import type { ReportRepository } from './report/kept/contract.js';
import { readSamplesRight } from './rights.js';
import { areTracksMade, sweepTracks } from './samples/tracks/make-tracks.js';
import { type CoverageServices, coverageServices } from './services.js';
import type { CoverageSettings } from './settings.js';

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
  context.offer('coverage/gene-structures@1', () => createGeneStructures(services.intervals));
  keepSwept(context, services.intervals, staleSets);
  keepSwept(context, services.sites, staleSites);
  const { registry, filling, trackMaking, kept } = services;
  const { tracks } = trackMaking;
  context.onErase(coverageEraser({ registry, cohorts: filling.cohorts, tracks, kept: kept?.repository }));
  if (kept !== undefined && context.settings.reports !== undefined) {
    context.offer('coverage/kept-reports@1', (): KeptReportsService => ({ pathOf: pathOfGene }));
    expireReports(context, kept.repository, context.settings.reports);
  }
  if (context.demo) context.onReady(() => fillDemo(context, services.intervals));
  context.onClose(services.close);
}

/** Loads the demo intervals before the server is ready, if nothing is loaded yet. */
async function fillDemo(
  { announce, log, now }: Pick<PluginContext<unknown>, 'announce' | 'log' | 'now'>,
  repository: IntervalRepository,
): Promise<void> {
  const sets = await addDemo(repository, now());
  await announceReplaced({ announce }, sets);
  if (sets.length > 0) log.info({ sets: sets.length }, 'demo intervals added');
}

// The coverage plugin's background work.

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
  recurring(context, {
    what: 'queueing the completion of cohorts',
    everyMs: 3_600_000,
    async work() {
      if (await isFilled(filling)) return;
      await jobs.enqueue(fillJob, {}, { owner: 'server', key: fillJob });
    },
  });
  recurring(context, {
    what: 'queueing the making of callable tracks',
    everyMs: 3_600_000,
    async work() {
      await sweepTracks(trackMaking);
      if (await areTracksMade(trackMaking)) return;
      await jobs.enqueue(tracksJob, {}, { owner: 'server', key: tracksJob });
    },
  });
  context.on('coverage/intervals-replaced@1', async () => {
    await jobs.enqueue(fillJob, {}, { owner: 'server', key: fillJob });
  });
  const queueing = (what: string, hours: number, payload: { all: boolean }) =>
    recurring(context, {
      what: `queueing the check of ${what}`,
      everyMs: hours * 3_600_000,
      async work() {
        const states = payload.all ? undefined : unchecked;
        if ((await samples.list({ ...(states && { states }), limit: 1 })).length === 0) return;
        await jobs.enqueue(recheckJob, payload, { owner: 'server', key: `${recheckJob} ${payload.all}` });
      },
    });
  queueing('samples that were not checked', 1, { all: false });
  queueing('all samples', settings.samples.recheckHours, { all: true });
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
