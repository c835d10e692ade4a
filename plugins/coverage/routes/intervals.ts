/** Everything under /intervals, the jobs behind it and the demo intervals. */
import { keepUploads, uploadFolder } from '../../../core/files.js';
import { keepSwept, type PluginContext } from '../../../core/plugin.js';
import { coverage } from '../contract.js';
import { addDemo } from '../demo/demo.js';
import { staleSets } from '../intervals/loading.js';
import { loadIntervalsJob, loadJob } from '../jobs/load-intervals.js';
import type { CoverageSettings } from '../settings.js';
import { detailBody } from './input.js';
import { listRoutes } from './interval-lists.js';
import { loadErrorBody, loadRoutes } from './interval-loading.js';
import { setRoutes } from './interval-sets.js';

export function registerIntervals(context: PluginContext<CoverageSettings>): void {
  const { settings, jobs, now } = context;
  const { httpLoading, maxShrink, uploads: folder, uploadLimit, listLimit } = settings.intervals;
  const repository = context.repository(coverage);
  const uploads = uploadFolder(folder, 'intervals');
  const onUsed = keepUploads(context, uploads);
  const { roots } = settings;
  // Always handled: jobs may be left from before the setting was changed, or run in another process.
  jobs.handle(loadJob, loadIntervalsJob({ repository, roots, maxShrink, uploads, onUsed, now }));
  const access = context.tokenAccess('coverage:load');
  const { genes } = settings.limits;
  const routes = [
    ...listRoutes({ repository, listLimit, mostNames: genes }),
    ...setRoutes(repository),
    ...(httpLoading ? loadRoutes({ access, jobs, roots, uploads, uploadLimit }) : []),
  ];
  for (const route of routes) context.route(route);
  context.errorBody('/intervals', detailBody);
  if (httpLoading) context.errorBody('/intervals/load', loadErrorBody);
  keepSwept(context, repository, staleSets);
  registerDemo(context);
}

/** Loads the demo intervals before the server is ready, where the configuration says demo and no set is there. */
export function registerDemo(context: PluginContext<CoverageSettings>): void {
  if (!context.demo) return;
  context.onReady(async () => {
    const sets = await addDemo(context.repository(coverage), context.now());
    if (sets.length > 0) context.log.info({ sets: sets.length }, 'demo intervals added');
  });
}
