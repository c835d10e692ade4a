/** The counters of a node (mme-apis, metrics-api.md). */
import type { Node } from '../http/node.js';

export async function countersOf({
  patients: store,
  matches: searches,
  now,
}: Pick<Node, 'patients' | 'matches' | 'now'>) {
  const [patients, matches] = await Promise.all([store.counts(), searches.counts()]);
  return {
    dateGenerated: now().toISOString().slice(0, 10),
    numberOfCases: patients.cases,
    numberOfCasesWithDiagnosis: patients.diagnosed,
    numberOfFeatures: patients.features.total,
    numberOfFeatureSets: patients.featureSets,
    numberOfGenes: patients.genes.total,
    numberOfPotentialMatchesSent: matches.sent,
    numberOfRequestsReceived: matches.requests,
    numberOfSubmitters: patients.submitters,
    numberOfUniqueFeatures: patients.features.unique,
    numberOfUniqueGenes: patients.genes.unique,
    numberOfUniqueGenesMatched: matches.uniqueGenes,
    numberOfUniqueVariants: patients.variants.unique,
    numberOfVariants: patients.variants.total,
  };
}
