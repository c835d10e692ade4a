/** Types of the service that the panels plugin offers, if it is enabled. */
import type { HoldingVersion, PanelOfReport, PanelsService } from '../../panels/service.js';

export type { HoldingVersion, PanelOfReport, PanelsService };
export type PanelGeneOfReport = PanelOfReport['genes'][number];
export type Confidence = PanelGeneOfReport['confidence'];

/** The key under which the panels plugin offers it. */
export const panelsKey = 'panels/versions@1';

/** Finds the service when it is used: the plugin need not be enabled. */
export type FindPanels = () => PanelsService | undefined;
