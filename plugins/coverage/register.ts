/** What the coverage plugin adds to a server: its routes, its jobs, and the demo intervals. */
import { keepSwept, type PluginContext } from '../../core/plugin.js';
import type { KeptReportsService, TenantCallability } from '../services/coverage.js';
import { coveredSamples } from './callability/for-callers.js';
import type { IntervalRepository } from './contract.js';
import { addDemo } from './demo/demo.js';
import { coverageEraser } from './eraser.js';
import { createGeneStructures } from './gene-structures/structures.js';
import { staleSets } from './intervals/loading.js';
import { announceReplaced } from './intervals-replaced.js';
import { registerJobs } from './jobs/register.js';
import { registerRoutes } from './routes/register.js';
import { coverageServices } from './services.js';
import type { CoverageSettings } from './settings.js';
import { staleSites } from './sites/stale.js';
import { expireReports } from './stored/expire.js';
import { pathOfGene } from './stored/paths.js';

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
