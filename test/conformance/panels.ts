/**
 * The promises of panels@1 as cases of the conformance kit:
 *
 *     describeContract({ describe, it }, subject, panels, panelCases);
 */
import type { PanelRepository } from '../../plugins/panels/contract.js';
import { store } from '../../plugins/panels/store.js';
import type { Case, Store } from './core.js';
import { nameCases } from './panels/names.js';
import { versionCases } from './panels/versions.js';

export { panels } from '../../plugins/panels/contract.js';

/** For adapters with tables: what the plugin brings in `stores`. */
export const panelStores: readonly Store[] = [store];

export const panelCases: readonly Case<PanelRepository>[] = [...versionCases, ...nameCases];
