/** What the matchmaker adds to a server: its routes, its jobs, and the demo patients. */
import type { PluginContext } from '../../core/plugin.js';
import { registerJobs } from './jobs/register.js';
import { addDemo, wantsDemo } from './patient/demo.js';
import { matchmakerEraser } from './removal/eraser.js';
import { phenotypeService } from './resources/phenotype-service.js';
import { registerRoutes } from './routes/register.js';
import { type MatchmakerServices, matchmakerServices } from './services.js';
import type { MatchmakerSettings } from './settings.js';

export async function register(context: PluginContext<MatchmakerSettings>): Promise<void> {
  const services = matchmakerServices(context);
  registerRoutes(context, services);
  registerJobs(context, services);
  const { triage } = services;
  if (triage) (await import('./triage/register.js')).registerTriage(context, services, triage);
  const { joined } = services.trail;
  context.offer('matchmaker/phenotypes@1', () => phenotypeService(services.resources));
  context.onErase(
    matchmakerEraser({
      ...services,
      ...{ isRecorded: joined, triage: triage !== undefined, rows: triage?.repository },
      samples: triage?.settings.samples ?? 'stated',
    }),
  );
  if (context.demo) context.onReady(() => fillDemo(services));
  context.onReady(() => services.searchable());
}

async function fillDemo(services: MatchmakerServices): Promise<void> {
  if (!(await wantsDemo(services.patients))) return;
  const { inserted } = await addDemo({ ...services, resources: services.resources() });
  services.log.info({ patients: inserted }, 'demo data added');
  if (services.triage) await (await import('./triage/demo.js')).addDemoRows(services, services.triage);
}
