/** The counters of a node, as /metrics returns them (mme-apis, metrics-api.md). */
import type { MatchmakerRepository, MatchRepository } from '../contract.js';

export interface Counted {
  patients: Pick<MatchmakerRepository, 'counts'>;
  matches: Pick<MatchRepository, 'counts'>;
  now(): Date;
}

export type Counters = Awaited<ReturnType<typeof countersOf>>;

export async function countersOf({ patients: store, matches: searches, now }: Counted) {
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
