/** What the panels plugin adds to a server. */
import type { PluginContext } from '../../core/plugin.js';
import { versionRoutes } from './routes/versions.js';
import type { PanelSettings } from './settings.js';

export function register(context: PluginContext<PanelSettings>): void {
  for (const route of versionRoutes(context)) context.route(route);
}
