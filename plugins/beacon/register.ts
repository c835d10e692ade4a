/** What the beacon adds to a server: its faces, its jobs, and the demo data. */
import { keepSwept, type PluginContext, recurring } from '../../core/plugin.js';
import type { BeaconRepository } from './contract.js';
import { addDemo, wantsDemo } from './demo/demo.js';
import { beaconEraser } from './eraser.js';
import { registerObservations } from './faces/observations/routes.js';
import { registerSearch } from './faces/search/route.js';
import { registerV1 } from './faces/v1/register.js';
import { registerV2 } from './faces/v2/register.js';
import { registerV11 } from './faces/v11/query.js';
import { registerJobs } from './jobs.js';
import { interruptedImports } from './loading/load.js';
import { registerLoqusdb } from './loqusdb/routes/register.js';
import { countsService, sampleFactsService } from './offers.js';
import type { Guard } from './protection/guard.js';
import { beaconServices } from './services.js';
import type { BeaconSettings } from './settings.js';

export function register(context: PluginContext<BeaconSettings>): void {
  const services = beaconServices(context);
  if (services.settings.faces.includes('v1')) registerV1(context, services);
  if (services.settings.faces.includes('v1.1')) registerV11(context, services);
  if (services.settings.faces.includes('v2')) registerSearch(context, services);
  if (services.settings.faces.includes('v2')) registerV2(context, services);
  registerLoqusdb(context, services);
  registerObservations(context, services);
  registerJobs(context, services);
  context.offer('beacon/counts@1', () => countsService(services));
  context.offer('beacon/sample-facts@1', () => sampleFactsService(services.repository));
  context.onReady(() => services.generations.begin());
  keepTallies(context, services.guard);
  context.onErase(beaconEraser(services));
  keepSwept(context, services.repository, interruptedImports);
  if (context.demo) context.onReady(() => fillDemo(context, services.repository));
}

/** Every ten seconds, and what is left at the end. */
function keepTallies(context: PluginContext<BeaconSettings>, { storeTallies }: Guard): void {
  if (!storeTallies) return;
  context.onClose(storeTallies);
  recurring(context, { what: 'counting questions about protected datasets', everyMs: 10_000, work: storeTallies });
}

async function fillDemo(
  { log, now }: Pick<PluginContext<unknown>, 'log' | 'now'>,
  repository: BeaconRepository,
): Promise<void> {
  if (!wantsDemo(await repository.datasets())) return;
  const { dataset, added } = await addDemo(repository, now());
  log.info({ dataset, alleles: added.alleles }, 'demo data added');
}
