/** beacon@1: datasets of called alleles, and the queries on them. */
import { type Contract, defineContract } from '../../core/storage.js';
import { beaconOf } from './moment.js';
import type { BeaconRepository, BeaconStorage } from './repository.js';

export * from './domain/allele.js';
export * from './domain/allele-form.js';
export {
  type AlleleQuery,
  canonical,
  isPlain,
  type KindFilter,
  kindOfSequence,
  kindsOf,
  type Replacement,
  replacing,
  type SequenceChange,
  type Stretch,
  trimmed,
  trimmedStart,
} from './domain/allele-query.js';
export * from './domain/fractions.js';
export * from './domain/genotypes.js';
export * from './domain/hits.js';
export { changedBases, isOpen, isSpelled, matches, stretchesOf } from './domain/matching.js';
export * from './domain/observation.js';
export {
  afterImport,
  type Chromosomes,
  changedFacts,
  distinctTerms,
  isSexSpecific,
  isTermId,
  mostTerms,
  type OntologyTerm,
  ploidyAt,
  type Sample,
  type SampleChange,
  type SampleFacts,
  type SampleLabel,
  type Search,
  type Searched,
  type Sex,
  sameFacts,
  sameSearch,
  sampleLabels,
  searchedWith,
  searchedWithout,
  sexes,
  termKey,
  unknownFacts,
} from './domain/sample.js';
export * from './domain/similar.js';
export * from './genes/contract.js';
export { beaconOf } from './moment.js';
export {
  type AccountSpending,
  type AccountTally,
  type AnswerRule,
  type Asking,
  around,
  beaconProtection,
  type Decision,
  decided,
  type LoadToWait,
  type ProtectionRepository,
  type Publication,
  type PublishedTotals,
  type Publishing,
  type Region,
  type Spendings,
  type Spent,
  stretchNumbers,
  type WaitingLoad,
} from './protection/contract.js';
export * from './repository.js';
export * from './vcf/consequences/contract.js';
export * from './vcf/depths/contract.js';

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
    fractions: 'optional',
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
    rewriteAlleles: 'optional',
  },
  beaconOf,
);
