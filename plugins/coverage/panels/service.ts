/** The service that the panels plugin offers, if it is enabled. */
import type { PanelsService } from '../../services/panels.js';

/** The key under which the panels plugin offers it. */
export const panelsKey = 'panels/versions@1';

/** Finds the service when it is used: the plugin need not be enabled. */
export type FindPanels = () => PanelsService | undefined;
