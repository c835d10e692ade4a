/** The cases of every contract, by the subjects that run them: a file for each, since files run side by side. */
import type { Contract } from '../../../core/storage.js';
import {
  beacon,
  beaconCases,
  beaconConsequences,
  beaconDepths,
  beaconGenes,
  beaconProtection,
  consequenceCases,
  depthCases,
  geneCases,
  protectionCases,
} from '../../conformance/beacon.js';
import {
  audit,
  auditCases,
  type Case,
  describeContract,
  describeStorage,
  erasureCases,
  erasures,
  jobCases,
  jobs,
  probe,
  type Runner,
  type Subject,
  sessionCases,
  sessions,
  tableCases,
  tokenCases,
  tokens,
} from '../../conformance/core.js';
import {
  cohortCases,
  coverage,
  coverageCases,
  coverageCohorts,
  coverageRegions,
  coverageReports,
  coverageSamples,
  coverageSites,
  coverageTracks,
  regionCases,
  reportCases,
  sampleCases,
  siteCases,
  trackCases,
} from '../../conformance/coverage.js';
import {
  mailCases,
  matchCases,
  matchmaker,
  matchmakerAudit,
  matchmakerCases,
  matchmakerMail,
  matchmakerMatches,
  matchmakerNodes,
  matchmakerResources,
  matchmakerTriage,
  nodeCases,
  resourceCases,
  auditCases as trailCases,
  triageCases,
} from '../../conformance/matchmaker.js';
import { panelCases, panels } from '../../conformance/panels.js';
import { reviewCases, reviews } from '../../conformance/reviews.js';
import { sampled } from '../../support/sample.js';

type Describe = <Repository>(contract: Contract<Repository>, cases: readonly Case<Repository>[]) => void;

/** Every contract above tables. */
function onContracts(describe: Describe): void {
  describe(tokens, tokenCases);
  describe(sessions, sessionCases);
  describe(jobs, jobCases);
  describe(audit, auditCases);
  describe(erasures, erasureCases);
  describe(beacon, beaconCases);
  describe(beaconProtection, protectionCases);
  describe(beaconGenes, geneCases);
  describe(beaconDepths, depthCases);
  describe(beaconConsequences, consequenceCases);
  describe(coverage, coverageCases);
  describe(coverageSamples, sampleCases);
  describe(coverageTracks, trackCases);
  describe(coverageCohorts, cohortCases);
  describe(coverageSites, siteCases);
  describe(coverageRegions, regionCases);
  describe(coverageReports, reportCases);
  describe(panels, panelCases);
  describe(reviews, reviewCases);
  describe(matchmaker, matchmakerCases);
  describe(matchmakerMatches, matchCases);
  describe(matchmakerNodes, nodeCases);
  describe(matchmakerMail, mailCases);
  describe(matchmakerAudit, trailCases);
  describe(matchmakerTriage, triageCases);
  describe(matchmakerResources, resourceCases);
}

/** Mocha has other functions for each file. */
const runner: Runner = { describe: (title, run) => describe(title, run), it: (title, run) => it(title, run) };

/**
 * What an adapter writes itself, storage and tables, with all cases; of each contract above them a share of the cases. In the
 * whole suite three subjects with a share of 3 and different turns run each case between them, and change places each day.
 */
export function describeSubject(subject: Subject, share: number, turn = 0): void {
  describeStorage(runner, subject);
  describeContract(runner, subject, probe, tableCases);
  onContracts((contract, cases) => describeContract(runner, subject, contract, sampled(cases, share, turn)));
}

/**
 * The kit on memory that gives no more than tables promise: callers interleave, and rows without an order come in a random
 * one. Every case runs with every seed, in the whole suite every third case with one of them.
 */
export function describeStrict(subjectOf: (seed: number) => Subject, seeds: readonly number[]): void {
  for (const [place, seed] of seeds.entries()) {
    const each: Describe = (contract, cases) =>
      describeContract(runner, subjectOf(seed), contract, sampled(cases, 3 * seeds.length, 3 * place));
    each(probe, tableCases);
    onContracts(each);
  }
}
