/** The paths by which people work with matches. */
import type { PluginContext } from '../../../core/plugin.js';
import type { MatchmakerServices, Triage } from '../services.js';
import { deskOf } from './desk.js';
import { pageFault } from './pages/fault.js';
import { submissionsPath } from './paths.js';
import { listRoutes } from './routes/list.js';
import { rowRoutes } from './routes/row.js';
import { submissionRoutes } from './routes/submission.js';

export function registerTriage(
  context: Pick<PluginContext<unknown>, 'route' | 'errorBody' | 'link' | 'baseUrl' | 'find'>,
  services: MatchmakerServices,
  triage: Triage,
): void {
  const base = context.baseUrl === undefined ? '' : new URL(context.baseUrl).pathname.replace(/\/+$/, '');
  const desk = deskOf(services, triage, (key) => context.find(key));
  for (const route of [...listRoutes(desk, base), ...submissionRoutes(desk, base), ...rowRoutes(desk, base)]) {
    context.route(route);
  }
  context.errorBody(submissionsPath, pageFault(base));
  context.link(submissionsPath, 'Submissions and their matches');
}
