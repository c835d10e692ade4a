/** The conformance kit on this adapter: `node --test`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import level from '@lab/trefoil-level';
import {
  beacon,
  beaconCases,
  beaconDepths,
  beaconGenes,
  beaconProtection,
  beaconStores,
  depthCases,
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
  coverageRegions,
  coverageReports,
  coverageSamples,
  coverageSites,
  coverageStores,
  coverageTracks,
  regionCases,
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
import { reviewCases, reviewStores, reviews } from 'trefoil/reviews/conformance';

/** A server gets them from the plugins. */
const stores = new Map(
  [probeStore, ...beaconStores, ...coverageStores, ...panelStores, ...reviewStores, ...matchmakerStores].map(
    (store) => [store.contract.id, async () => store],
  ),
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

/** All, or those that KIT names: `KIT=storage,probe@1 node --test`. */
const wanted = process.env.KIT?.split(',');
const isWanted = (id) => wanted?.includes(id) ?? true;

if (isWanted('storage')) describeStorage({ describe, it }, subject);
for (const [contract, cases] of [
  [probe, tableCases],
  [tokens, tokenCases],
  [audit, auditCases],
  [jobs, jobCases],
  [sessions, sessionCases],
  [erasures, erasureCases],
  [beacon, beaconCases],
  [beaconGenes, geneCases],
  [beaconDepths, depthCases],
  [beaconProtection, protectionCases],
  [coverage, coverageCases],
  [coverageSamples, sampleCases],
  [coverageTracks, trackCases],
  [coverageCohorts, cohortCases],
  [coverageSites, siteCases],
  [coverageRegions, regionCases],
  [coverageReports, reportCases],
  [panels, panelCases],
  [reviews, reviewCases],
  [matchmakerResources, resourceCases],
  [matchmakerMail, mailCases],
  [matchmakerAudit, trailCases],
  [matchmakerTriage, triageCases],
  [matchmakerNodes, nodeCases],
  [matchmaker, matchmakerCases],
  [matchmakerMatches, matchCases],
]) {
  if (isWanted(contract.id)) describeContract({ describe, it }, subject, contract, cases);
}
