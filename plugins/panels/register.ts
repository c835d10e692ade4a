/** What the panels plugin adds to a server. */
import type { PluginContext } from '../../core/plugin.js';
import { editRoutes } from './routes/edits.js';
import { exportRoute } from './routes/export.js';
import { storedVersions } from './routes/stored.js';
import { versionRoutes } from './routes/versions.js';
import type { PanelSettings } from './settings.js';
import { panelsService } from './versions-service.js';

export function register(context: PluginContext<PanelSettings>): void {
  context.offer('panels/versions@1', () => panelsService(context));
  const stored = storedVersions(context);
  const routes = [...editRoutes(stored), ...versionRoutes(context, stored), exportRoute(context, stored)];
  for (const route of routes) context.route(route);
}
