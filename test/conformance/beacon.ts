/**
 * What beacon@1, beacon-genes@1, beacon-depths@1, beacon-consequences@1 and beacon-protection@1 promise, as cases of the conformance kit:
 *
 *     describeContract({ describe, it }, subject, beacon, beaconCases);
 *     describeContract({ describe, it }, subject, beaconGenes, geneCases);
 *     describeContract({ describe, it }, subject, beaconDepths, depthCases);
 *     describeContract({ describe, it }, subject, beaconConsequences, consequenceCases);
 *     describeContract({ describe, it }, subject, beaconProtection, protectionCases);
 */

import type { BeaconRepository, ProtectionRepository } from '../../plugins/beacon/contract.js';
import { store as genes } from '../../plugins/beacon/genes/store.js';
import { store as protection } from '../../plugins/beacon/protection/store.js';
import { store as alleles } from '../../plugins/beacon/store.js';
import { store as consequences } from '../../plugins/beacon/vcf/consequences/store.js';
import { store as depths } from '../../plugins/beacon/vcf/depths/store.js';
import { boundCases, limitCases, volumeCases } from './beacon/bounds.js';
import { breakendCases } from './beacon/breakends.js';
import { datasetCases } from './beacon/datasets.js';
import { exportCases } from './beacon/export.js';
import { formCases } from './beacon/forms.js';
import { foundCases } from './beacon/found.js';
import { fractionCases } from './beacon/fractions.js';
import { genotypeCases } from './beacon/genotypes.js';
import { historyCases } from './beacon/histories.js';
import { importCases } from './beacon/imports.js';
import { meetingCases } from './beacon/meetings.js';
import { observationCases } from './beacon/observations.js';
import { patternCases } from './beacon/patterns.js';
import { placeCases } from './beacon/places.js';
import { protectionCases as answerCases } from './beacon/protection.js';
import { protectionMeetings } from './beacon/protection-meetings.js';
import { compactionCases, removalCases } from './beacon/removal.js';
import { replacementCases } from './beacon/replacements.js';
import { sampleCases } from './beacon/samples.js';
import { sequenceCases } from './beacon/sequences.js';
import { nearbyCases, similarCases } from './beacon/similar.js';
import { uncalledCases } from './beacon/uncalled.js';
import { visibilityCases } from './beacon/visibility.js';
import type { Case, Store } from './core.js';

export {
  beacon,
  beaconConsequences,
  beaconDepths,
  beaconGenes,
  beaconProtection,
} from '../../plugins/beacon/contract.js';
export { consequenceCases } from './beacon/consequences.js';
export { depthCases } from './beacon/depths.js';
export { geneCases } from './beacon/genes.js';

/** For adapters with tables: what the plugin brings in `stores`. */
export const beaconStores: readonly Store[] = [alleles, genes, depths, consequences, protection];

export const protectionCases: readonly Case<ProtectionRepository>[] = [...answerCases, ...protectionMeetings];

export const beaconCases: readonly Case<BeaconRepository>[] = [
  ...datasetCases,
  ...importCases,
  ...boundCases,
  ...visibilityCases,
  ...removalCases,
  ...compactionCases,
  ...formCases,
  ...sampleCases,
  ...observationCases,
  ...similarCases,
  ...uncalledCases,
  ...fractionCases,
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
  ...meetingCases,
];
