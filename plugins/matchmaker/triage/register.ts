/** The paths by which people work with matches. */
import type { PluginContext } from '../../../core/plugin.js';
import { demoOwner, matchmakerTriage } from '../contract.js';
import type { MatchmakerServices, Triage } from '../services.js';
import { deskOf, submissionsPath } from './desk.js';
import { pageFault } from './pages/frame.js';
import { listRoutes, rowRoutes, submissionRoutes } from './routes/submission.js';

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

/** Demo patients that are searched for. */
const searched = 8;

export async function addDemoRows(
  { patients, search, transaction }: Pick<MatchmakerServices, 'patients' | 'search' | 'transaction'>,
  { sightings }: Pick<Triage, 'sightings'>,
): Promise<void> {
  const { signal } = new AbortController();
  for (const own of await patients.patients({ owner: demoOwner, limit: searched })) {
    const { matches } = await search(own.patient, { asker: demoOwner, signal });
    const seen = sightings.here({ patient: own.patient, own, asker: demoOwner, matches });
    await transaction((scope) => scope.repository(matchmakerTriage).seen(seen));
  }
}
