/**
 * What beacon@1, beacon-genes@1 and beacon-protection@1 promise, as cases of the conformance kit:
 *
 *     describeContract({ describe, it }, subject, beacon, beaconCases);
 *     describeContract({ describe, it }, subject, beaconGenes, geneCases);
 *     describeContract({ describe, it }, subject, beaconProtection, protectionCases);
 */
import type { Case } from '../../core/conformance.js';
import { boundCases } from './conformance/bounds.js';
import { breakendCases } from './conformance/breakends.js';
import { compactionCases } from './conformance/compaction.js';
import { datasetCases } from './conformance/datasets.js';
import { exportCases } from './conformance/export.js';
import { foundCases } from './conformance/found.js';
import { genotypeCases } from './conformance/genotypes.js';
import { historyCases } from './conformance/histories.js';
import { importCases } from './conformance/imports.js';
import { limitCases } from './conformance/limits.js';
import { nearbyCases } from './conformance/nearby.js';
import { observationCases } from './conformance/observations.js';
import { patternCases } from './conformance/patterns.js';
import { placeCases } from './conformance/places.js';
import { removalCases } from './conformance/removal.js';
import { replacementCases } from './conformance/replacements.js';
import { sampleCases } from './conformance/samples.js';
import { sequenceCases } from './conformance/sequences.js';
import { similarCases } from './conformance/similar.js';
import { uncalledCases } from './conformance/uncalled.js';
import { visibilityCases } from './conformance/visibility.js';
import { volumeCases } from './conformance/volume.js';
import type { BeaconRepository } from './contract.js';

export { geneCases } from './conformance/genes.js';
export { protectionCases } from './conformance/protection.js';
export { beacon, beaconGenes, beaconProtection } from './contract.js';

export const beaconCases: readonly Case<BeaconRepository>[] = [
  ...datasetCases,
  ...importCases,
  ...boundCases,
  ...visibilityCases,
  ...removalCases,
  ...compactionCases,
  ...sampleCases,
  ...observationCases,
  ...similarCases,
  ...uncalledCases,
  ...placeCases,
  ...patternCases,
  ...breakendCases,
  ...replacementCases,
  ...exportCases,
  ...foundCases,
  ...limitCases,
  ...volumeCases,
  ...sequenceCases,
  ...historyCases,
  ...nearbyCases,
  ...genotypeCases,
];
