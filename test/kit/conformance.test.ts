/** The conformance kit on every adapter that comes with Trefoil. */
import {
  audit,
  auditCases,
  describeContract,
  describeStorage,
  jobCases,
  jobs,
  type Runner,
  type Subject,
  sessionCases,
  sessions,
  tokenCases,
  tokens,
} from '../../core/conformance.js';
import {
  beacon,
  beaconCases,
  beaconGenes,
  beaconProtection,
  geneCases,
  protectionCases,
} from '../../plugins/beacon/conformance.js';
import {
  cohortCases,
  coverageCohorts,
  coverageReports,
  coverageSamples,
  coverageSites,
  coverageTracks,
  reportCases,
  sampleCases,
  siteCases,
  trackCases,
} from '../../plugins/coverage/conformance.js';
import { matchmakerTriage, triageCases } from '../../plugins/matchmaker/conformance.js';
import { panelCases, panels } from '../../plugins/panels/conformance.js';
import { pooledPostgres, postgres, sqlite } from '../support/storages.js';
import { memorySubject } from './memory.js';

// Without `skip`: what an adapter does not declare does not apply to it, and is no test that was left out.
const runner: Runner = { describe, it: (title, run) => it(title, run) };
// Without a session of its own if PgBouncer is installed: all other tests have one.
const subjects: Subject[] = [memorySubject, sqlite, pooledPostgres ?? postgres];

for (const subject of subjects) {
  describeStorage(runner, subject);
  describeContract(runner, subject, jobs, jobCases);
  describeContract(runner, subject, tokens, tokenCases);
  describeContract(runner, subject, sessions, sessionCases);
  describeContract(runner, subject, audit, auditCases);
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
