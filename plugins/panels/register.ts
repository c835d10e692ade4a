/** What the panels plugin adds to a server. */
import type { PluginContext } from '../../core/plugin.js';
import { panels } from './contract.js';
import { addDemo } from './demo/demo.js';
import { checkWithIntervals } from './genes/live.js';
import { pageFault } from './pages/fault.js';
import { editRoutes } from './routes/edits.js';
import { exportRoute } from './routes/export.js';
import { formPages } from './routes/form-pages.js';
import { readPages } from './routes/read-pages.js';
import { storedVersions } from './routes/stored.js';
import { versionRoutes } from './routes/versions.js';
import type { PanelSettings } from './settings.js';
import { panelsService } from './versions-service.js';

export function register(context: PluginContext<PanelSettings>): void {
  const stored = storedVersions(context);
  context.offer('panels/versions@1', () => panelsService(context, stored.names));
  const base = context.baseUrl === undefined ? '' : new URL(context.baseUrl).pathname.replace(/\/+$/, '');
  const { signatures: wanted, signers } = context.settings;
  const signing = { wanted, signers };
  const routes = [
    ...readPages(stored, base),
    ...formPages(stored, base, signing),
    ...editRoutes(stored),
    ...versionRoutes(context, stored, signing, base),
    exportRoute(context, stored),
  ];
  for (const route of routes) context.route(route);
  context.errorBody('/panels', pageFault(base));
  context.link('/panels', 'Gene panels');
  checkWithIntervals(context);
  if (context.demo) context.onReady(() => fillDemo(context));
}

/** Adds the demo panel before the server is ready, if there are no panels yet. */
async function fillDemo({ repository, log, now }: PluginContext<PanelSettings>): Promise<void> {
  const versions = await addDemo(repository(panels), now());
  if (versions > 0) log.info({ versions }, 'demo panel added');
}
