/** The coverage plugin's background work. */
import { keepUploads } from '../../../core/files.js';
import type { PluginContext } from '../../../core/plugin.js';
import type { CoverageServices } from '../services.js';
import { loadIntervalsJob, loadJob } from './load-intervals.js';

export function registerJobs(
  context: Pick<PluginContext<unknown>, 'announce' | 'jobs' | 'log' | 'onReady' | 'onClose'>,
  { settings, intervals: repository, uploads, now }: CoverageServices,
): void {
  const onUsed = keepUploads(context, uploads);
  const { roots } = settings;
  const { maxShrink } = settings.intervals;
  // Handled even if loading over HTTP is off: jobs may be left from before, or be queued by another process.
  const { announce } = context;
  context.jobs.handle(loadJob, loadIntervalsJob({ repository, roots, maxShrink, uploads, onUsed, now, announce }));
}
