/**
 * The promises of panels@1 as cases of the conformance kit:
 *
 *     describeContract({ describe, it }, subject, panels, panelCases);
 */
import type { Case } from '../../core/conformance.js';
import { nameCases } from './conformance/names.js';
import { versionCases } from './conformance/versions.js';
import type { PanelRepository } from './contract.js';

export { panels } from './contract.js';

export const panelCases: readonly Case<PanelRepository>[] = [...versionCases, ...nameCases];
