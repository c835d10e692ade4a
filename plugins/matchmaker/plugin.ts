/** The matchmaker: stores patients, and finds similar ones here and on other nodes. */
import { definePlugin } from '../../core/plugin.js';
import { commands } from './commands.js';
import {
  matchmaker,
  matchmakerAudit,
  matchmakerMail,
  matchmakerMatches,
  matchmakerNodes,
  matchmakerResources,
} from './contract.js';
import { registerJobs } from './jobs/register.js';
import { addDemo, wantsDemo } from './patient/demo.js';
import { rights } from './rights.js';
import { registerRoutes } from './routes/register.js';
import { type MatchmakerServices, matchmakerServices } from './services.js';
import { environment, type MatchmakerSettings, matchmakerSettings } from './settings.js';

export default definePlugin<MatchmakerSettings>({
  name: 'matchmaker',
  api: 1,
  summary: 'Finds patients with similar phenotypes and genotypes, on this server and on connected nodes',
  settings: matchmakerSettings,
  environment,
  contracts: [matchmaker, matchmakerMatches, matchmakerResources, matchmakerNodes, matchmakerMail, matchmakerAudit],
  commands,
  rights,
  register(context) {
    const services = matchmakerServices(context);
    registerRoutes(context, services);
    registerJobs(context, services);
    if (context.demo) context.onReady(() => fillDemo(services));
    context.onReady(() => services.searchable());
  },
});

async function fillDemo(services: MatchmakerServices): Promise<void> {
  if (!(await wantsDemo(services.patients))) return;
  const { inserted } = await addDemo({ ...services, resources: services.resources() });
  services.log.info({ patients: inserted }, 'demo data added');
}
