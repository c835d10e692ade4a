/** The conformance kit on this adapter: `node --test`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import level from '@lab/trefoil-level';
import {
  beacon,
  beaconCases,
  beaconGenes,
  beaconProtection,
  beaconStores,
  geneCases,
  protectionCases,
} from 'trefoil/beacon/conformance';
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
  probeStore,
  sessionCases,
  sessions,
  tableCases,
  tokenCases,
  tokens,
} from 'trefoil/conformance';
import {
  cohortCases,
  coverage,
  coverageCases,
  coverageCohorts,
  coverageReports,
  coverageSamples,
  coverageSites,
  coverageStores,
  coverageTracks,
  reportCases,
  sampleCases,
  siteCases,
  trackCases,
} from 'trefoil/coverage/conformance';
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
  matchmakerStores,
  matchmakerTriage,
  nodeCases,
  resourceCases,
  auditCases as trailCases,
  triageCases,
} from 'trefoil/matchmaker/conformance';
import { panelCases, panelStores, panels } from 'trefoil/panels/conformance';

/** A server gets them from the plugins. */
const stores = new Map(
  [probeStore, ...beaconStores, ...coverageStores, ...panelStores, ...matchmakerStores].map((store) => [
    store.contract.id,
    async () => store,
  ]),
);
const log = { debug() {}, info() {}, warn() {}, error() {} };

const subject = {
  name: 'LevelDB',
  capabilities: level.capabilities,
  async open(contracts) {
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-level-'));
    const open = () => level.open({ settings: { folder }, contracts, bindings: new Map(), stores, log });
    const storage = await open();
    await storage.migrate();
    return { storage, again: open, discard: () => rm(folder, { recursive: true }) };
  },
};

describeStorage({ describe, it }, subject);
describeContract({ describe, it }, subject, probe, tableCases);
describeContract({ describe, it }, subject, tokens, tokenCases);
describeContract({ describe, it }, subject, audit, auditCases);
describeContract({ describe, it }, subject, jobs, jobCases);
describeContract({ describe, it }, subject, sessions, sessionCases);
describeContract({ describe, it }, subject, erasures, erasureCases);
describeContract({ describe, it }, subject, beacon, beaconCases);
describeContract({ describe, it }, subject, beaconGenes, geneCases);
describeContract({ describe, it }, subject, beaconProtection, protectionCases);
describeContract({ describe, it }, subject, coverage, coverageCases);
describeContract({ describe, it }, subject, coverageSamples, sampleCases);
describeContract({ describe, it }, subject, coverageTracks, trackCases);
describeContract({ describe, it }, subject, coverageCohorts, cohortCases);
describeContract({ describe, it }, subject, coverageSites, siteCases);
describeContract({ describe, it }, subject, coverageReports, reportCases);
describeContract({ describe, it }, subject, panels, panelCases);
describeContract({ describe, it }, subject, matchmakerResources, resourceCases);
describeContract({ describe, it }, subject, matchmakerMail, mailCases);
describeContract({ describe, it }, subject, matchmakerAudit, trailCases);
describeContract({ describe, it }, subject, matchmakerTriage, triageCases);
describeContract({ describe, it }, subject, matchmakerNodes, nodeCases);
describeContract({ describe, it }, subject, matchmaker, matchmakerCases);
describeContract({ describe, it }, subject, matchmakerMatches, matchCases);
