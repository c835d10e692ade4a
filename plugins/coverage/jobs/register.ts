/** The coverage plugin's background work. */
import { keepUploads } from '../../../core/files.js';
import { type PluginContext, recurring } from '../../../core/plugin.js';
import { isFilled } from '../cohorts/keep.js';
import type { CoverageServices } from '../services.js';
import { areTracksMade, sweepTracks } from '../tracks/make.js';
import { checkJob, checkSampleJob, checkSamplesJob, recheckJob, unchecked } from './check-samples.js';
import { fillCohortsJob, fillJob } from './fill-cohorts.js';
import { loadIntervalsJob, loadJob } from './load-intervals.js';
import { makeTracksJob, tracksJob } from './make-tracks.js';

export function registerJobs(
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
