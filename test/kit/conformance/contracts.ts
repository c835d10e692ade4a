/** The cases of every contract, by the subjects that run them: a file for each, since files run side by side. */
import type { Contract } from '../../../core/storage.js';
import {
  beacon,
  beaconCases,
  beaconGenes,
  beaconProtection,
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
  coverageReports,
  coverageSamples,
  coverageSites,
  coverageTracks,
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
import { sampled } from '../../support/sample.js';

/**
 * The most expensive cases: half of the processor time of all. The suite runs each in memory and on the SQL engine on
 * which it can break in more ways; `.ci/long` on both. PostgreSQL has several writers, snapshots and
 * orders of text; SQLite has fewer parameters to a statement, and no cursors.
 */
export const expensive = {
  sqlite: [
    'queries after any sequence of imports and removals agree with the reference model',
    'more than a hundred imports into one dataset add up',
    'merging imports changes no result',
    'samples are removed after merging as if they had never been added',
    'a search beyond its limit is refused, one that reaches it is not',
    'one search returns many datasets',
  ],
  postgres: [
    'any history of imports, corrections and removals is observed and found as what remains',
    'a merge that is broken off leaves the imports as they were',
    'imports and removals during merging are kept',
    'alleles found in several datasets show one moment',
    'a search over several datasets shows one moment',
    'observations of several datasets and questions show one moment',
    'an aborted search throws the reason, and leaves nothing behind',
    'thousands of alleles of several imports are found in order',
  ],
};

/** Whether every case runs on every subject, as outside of a run of the whole suite. */
const isWhole = process.env.TEST_DAY === undefined;

type Describe = <Repository>(contract: Contract<Repository>, cases: readonly Case<Repository>[]) => void;

/** What SQL has code of its own for: tables, locks and bindings. */
function onBindings(describe: Describe): void {
  describe(probe, tableCases);
  describe(jobs, jobCases);
  describe(audit, auditCases);
  describe(beacon, beaconCases);
  describe(beaconProtection, protectionCases);
}

/** What SQL keeps by its store. */
function onStores(describe: Describe): void {
  describe(tokens, tokenCases);
  describe(sessions, sessionCases);
  describe(erasures, erasureCases);
  describe(beaconGenes, geneCases);
  describe(coverageSamples, sampleCases);
  describe(coverageTracks, trackCases);
  describe(coverageCohorts, cohortCases);
  describe(coverageSites, siteCases);
  describe(coverageReports, reportCases);
  describe(panels, panelCases);
  describe(matchmakerTriage, triageCases);
}

/** Those whose cases run on SQL in the tests of their plugins. */
function onStrict(describe: Describe): void {
  describe(coverage, coverageCases);
  describe(matchmakerResources, resourceCases);
  describe(matchmakerAudit, trailCases);
  describe(matchmakerMail, mailCases);
  describe(matchmakerNodes, nodeCases);
  describe(matchmaker, matchmakerCases);
  describe(matchmakerMatches, matchCases);
}

/** Runs the cases that are not omitted. What an adapter does not declare does not apply to it, and is no test that was left out. */
const runner = (omits: (title: string) => boolean): Runner => ({
  describe,
  it: (title, run) => {
    if (isWhole || !omits(title)) it(title, run);
  },
});

/**
 * The kit on an SQL engine without some of the expensive cases. In the whole suite the cases of stores take turns: the two engines
 * change places each day.
 */
export function describeEngine(subject: Subject, turn: 0 | 1, omitted: readonly string[]): void {
  const some = runner((title) => omitted.includes(title));
  describeStorage(some, subject);
  onBindings((contract, cases) => describeContract(some, subject, contract, cases));
  onStores((contract, cases) => describeContract(some, subject, contract, sampled(cases, 2, turn)));
}

/** The kit on memory. The whole suite runs a third of the cases of contracts, since strict memory runs all. */
export function describeMemory(subject: Subject): void {
  const each = runner(() => false);
  describeStorage(each, subject);
  const third: Describe = (contract, cases) => describeContract(each, subject, contract, sampled(cases, 3));
  onBindings(third);
  onStores(third);
  third(coverage, coverageCases);
}

/**
 * Every case on memory that gives no more than tables promise: callers interleave, and rows without an order come in a random
 * one. The suite deals the cases to the seeds, `.ci/long` runs each with all of them.
 */
export function describeStrict(subjectOf: (seed: number) => Subject, seeds: readonly number[]): void {
  for (const [place, seed] of seeds.entries()) {
    let number = 0;
    const dealt = runner(() => number++ % seeds.length !== place);
    const each: Describe = (contract, cases) => describeContract(dealt, subjectOf(seed), contract, cases);
    onBindings(each);
    onStores(each);
    onStrict(each);
  }
}
