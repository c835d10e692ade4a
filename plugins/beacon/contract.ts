/** beacon@1: datasets of called alleles, and the queries on them. */
import { type Contract, defineContract } from '../../core/storage.js';
import { beaconOf } from './moment.js';
import type { BeaconRepository, BeaconStorage } from './repository.js';

export * from './domain/allele.js';
export * from './domain/allele-query.js';
export * from './domain/allowance.js';
export * from './domain/bounds.js';
export { canonical, isPlain, kindOfSequence, trimmed, trimmedStart } from './domain/canonical.js';
export * from './domain/found-allele.js';
export * from './domain/genotypes.js';
export * from './domain/matching.js';
export * from './domain/nearby.js';
export * from './domain/observation.js';
export { distinctTerms, isTermId, mostTerms, type OntologyTerm, termKey } from './domain/ontology-term.js';
export * from './domain/ploidy.js';
export { changedBases, stretchesOf } from './domain/replaced.js';
export * from './domain/sample.js';
export * from './domain/similar.js';
export * from './domain/tally.js';
export { kindsOf } from './domain/variant-types.js';
export * from './genes/contract.js';
export { beaconOf } from './moment.js';
export * from './protection/contract.js';
export * from './repository.js';

export const beacon: Contract<BeaconRepository> = defineContract<BeaconRepository, BeaconStorage>(
  'beacon@1',
  {
    datasets: 'needed',
    dataset: 'needed',
    addDataset: 'needed',
    updateDataset: 'needed',
    samples: 'needed',
    sampleFacts: 'needed',
    salt: 'needed',
    describeSamples: 'needed',
    importAlleles: 'needed',
    removeSamples: 'needed',
    batches: 'needed',
    addBatches: 'needed',
    removeDataset: 'needed',
    moment: 'optional',
    search: 'optional',
    present: 'optional',
    found: 'optional',
    observe: 'optional',
    nearby: 'optional',
    genotypes: 'optional',
    commonSites: 'optional',
    examples: 'optional',
    eachAllele: 'optional',
    recount: 'optional',
    fragmented: 'optional',
    compact: 'optional',
    sweep: 'optional',
    leftovers: 'optional',
  },
  beaconOf,
);
