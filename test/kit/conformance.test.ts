/** The conformance kit on every adapter that comes with Trefoil. */
import {
  beacon,
  beaconCases,
  beaconGenes,
  beaconProtection,
  geneCases,
  protectionCases,
} from '../conformance/beacon.js';
import {
  audit,
  auditCases,
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
} from '../conformance/core.js';
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
} from '../conformance/coverage.js';
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
} from '../conformance/matchmaker.js';
import { panelCases, panels } from '../conformance/panels.js';
import { pooledPostgres, postgres, sqlite } from '../support/storages.js';
import { memorySubject, strictSubject } from './memory.js';

/**
 * The most expensive cases: half of the processor time of all. The suite runs each in memory and on the SQL engine on
 * which it can break in more ways; TEST_KIT=whole (`.ci/long`) on both. PostgreSQL has several writers, snapshots and
 * orders of text; SQLite has fewer parameters to a statement, and no cursors.
 */
const expensive = {
  sqlite: [
    'queries after any sequence of imports and removals agree with the reference model',
    'more than a hundred imports into one dataset add up',
    'merging imports changes no result',
    'the batches of an import do not matter',
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

// Without a session of its own if PgBouncer is installed: all other tests have one.
const subjects: { subject: Subject; omits: readonly string[] }[] = [
  { subject: memorySubject, omits: [] },
  { subject: sqlite, omits: expensive.postgres },
  { subject: pooledPostgres ?? postgres, omits: expensive.sqlite },
];

for (const { subject, omits } of subjects) {
  // Without `skip`: what an adapter does not declare does not apply to it, and is no test that was left out.
  const runner: Runner = {
    describe,
    it: (title, run) => {
      if (process.env.TEST_KIT === 'whole' || !omits.includes(title)) it(title, run);
    },
  };
  describeStorage(runner, subject);
  describeContract(runner, subject, probe, tableCases);
  describeContract(runner, subject, jobs, jobCases);
  describeContract(runner, subject, tokens, tokenCases);
  describeContract(runner, subject, sessions, sessionCases);
  describeContract(runner, subject, audit, auditCases);
  describeContract(runner, subject, erasures, erasureCases);
  describeContract(runner, subject, beacon, beaconCases);
  describeContract(runner, subject, beaconGenes, geneCases);
  describeContract(runner, subject, beaconProtection, protectionCases);
  describeContract(runner, subject, coverageSamples, sampleCases);
  describeContract(runner, subject, coverageTracks, trackCases);
  describeContract(runner, subject, coverageCohorts, cohortCases);
  describeContract(runner, subject, coverageSites, siteCases);
  describeContract(runner, subject, coverageReports, reportCases);
  describeContract(runner, subject, panels, panelCases);
  describeContract(runner, subject, matchmakerTriage, triageCases);
}

describeContract({ describe, it: (title, run) => it(title, run) }, memorySubject, coverage, coverageCases);

// Memory that gives no more than tables promise: callers interleave, and rows without an order come in a random one.
for (const seed of [1, 2, 3]) {
  const subject = strictSubject(seed);
  const runner: Runner = { describe, it: (title, run) => it(title, run) };
  describeContract(runner, subject, probe, tableCases);
  describeContract(runner, subject, tokens, tokenCases);
  describeContract(runner, subject, jobs, jobCases);
  describeContract(runner, subject, sessions, sessionCases);
  describeContract(runner, subject, audit, auditCases);
  describeContract(runner, subject, erasures, erasureCases);
  describeContract(runner, subject, panels, panelCases);
  describeContract(runner, subject, beacon, beaconCases);
  describeContract(runner, subject, beaconGenes, geneCases);
  describeContract(runner, subject, beaconProtection, protectionCases);
  describeContract(runner, subject, coverage, coverageCases);
  describeContract(runner, subject, coverageSamples, sampleCases);
  describeContract(runner, subject, coverageTracks, trackCases);
  describeContract(runner, subject, coverageSites, siteCases);
  describeContract(runner, subject, coverageCohorts, cohortCases);
  describeContract(runner, subject, coverageReports, reportCases);
  describeContract(runner, subject, matchmakerResources, resourceCases);
  describeContract(runner, subject, matchmakerAudit, trailCases);
  describeContract(runner, subject, matchmakerMail, mailCases);
  describeContract(runner, subject, matchmakerNodes, nodeCases);
  describeContract(runner, subject, matchmaker, matchmakerCases);
  describeContract(runner, subject, matchmakerMatches, matchCases);
  describeContract(runner, subject, matchmakerTriage, triageCases);
}
