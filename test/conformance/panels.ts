/**
 * The promises of panels@1 as cases of the conformance kit:
 *
 *     describeContract({ describe, it }, subject, panels, panelCases);
 */
import type { PanelRepository } from '../../plugins/panels/contract.js';
import type { Case } from './core.js';
import { nameCases } from './panels/names.js';
import { versionCases } from './panels/versions.js';

export { panels } from '../../plugins/panels/contract.js';

export const panelCases: readonly Case<PanelRepository>[] = [...versionCases, ...nameCases];
