/** Adapters that break one promise each must fail the kit, in the case whose promise they break. */
import { AssertionError } from 'node:assert';
import { expect } from 'chai';
import { type Contract, isFault } from '../../core/storage.js';
import { beacon, beaconCases } from '../conformance/beacon.js';
import {
  audit,
  auditCases as auditTrailCases,
  BrokenPromise,
  type Case,
  jobCases,
  jobs,
  runCase,
  sessionCases,
  sessions,
  storageCases,
  tokenCases,
  tokens,
} from '../conformance/core.js';
import {
  coverage,
  coverageCases,
  coverageReports,
  coverageSamples,
  coverageSites,
  coverageTracks,
  reportCases,
  sampleCases,
  siteCases,
  trackCases,
} from '../conformance/coverage.js';
import { matchmaker, matchmakerCases, matchmakerTriage, triageCases } from '../conformance/matchmaker.js';
import { panelCases, panels } from '../conformance/panels.js';
import { wrongBeacons } from '../conformance/wrong/beacon.js';
import { wrongRepositories } from '../conformance/wrong/repositories.js';
import { wrongStorages } from '../conformance/wrong/storage.js';
import type { Wrong } from '../conformance/wrong/wrap.js';

/** Runs the case as the kit does, and answers how it failed. */
async function failure<Repository>(
  wrong: Wrong,
  contract: Contract<Repository>,
  cases: readonly Case<Repository>[],
  also: readonly Contract[] = [],
): Promise<BrokenPromise> {
  const item = cases.find(({ name }) => name === wrong.fails);
  if (!item) throw new Error(`The kit has no case "${wrong.fails}"`);
  if (item.needs)
    expect(wrong.subject.capabilities, 'the capability that the case needs').to.have.property(item.needs, true);
  try {
    await runCase(wrong.subject, contract, item, { also });
  } catch (error) {
    if (error instanceof BrokenPromise) return error;
    throw error;
  }
  throw new Error(`An adapter that ${wrong.does} passes "${wrong.fails}"`);
}

function mustFail<Repository>(
  title: string,
  adapters: readonly Wrong[],
  contract: Contract<Repository>,
  cases: readonly Case<Repository>[],
  also: readonly Contract[] = [],
): void {
  describe(`the kit on wrong adapters: ${title}`, () => {
    for (const wrong of adapters) {
      it(`catches one that ${wrong.does}: "${wrong.fails}"`, async () => {
        const broken = await failure(wrong, contract, cases, also);
        const item = cases.find(({ name }) => name === wrong.fails);
        expect(broken.case).to.equal(wrong.fails);
        expect(broken.message).to.include(wrong.subject.name).and.to.include(item?.promise);
        // The input that broke it: as the case noted it, or as the calls that it made.
        expect(broken.message).to.match(/\n {2}(given .+: |after these calls, oldest first:\n {4}\S)/);
        // What is wrong was noticed by comparing, or answered as a fault: the adapter did not just crash.
        expect(broken.cause).to.satisfy((cause: unknown) => cause instanceof AssertionError || isFault(cause));
      });
    }
  });
}

function mustFailAlone<Repository>(contract: Contract<Repository>, cases: readonly Case<Repository>[]): void {
  const adapters = [...wrongBeacons, ...wrongRepositories].filter((wrong) => wrong.contract.id === contract.id);
  mustFail(contract.id, adapters, contract, cases);
}

mustFail('storage', wrongStorages, tokens, storageCases, [jobs]);
mustFailAlone(tokens, tokenCases);
mustFailAlone(audit, auditTrailCases);
mustFailAlone(jobs, jobCases);
mustFailAlone(sessions, sessionCases);
mustFailAlone(beacon, beaconCases);
mustFailAlone(coverage, coverageCases);
mustFailAlone(coverageSamples, sampleCases);
mustFailAlone(coverageTracks, trackCases);
mustFailAlone(coverageSites, siteCases);
mustFailAlone(coverageReports, reportCases);
mustFailAlone(panels, panelCases);
mustFailAlone(matchmaker, matchmakerCases);
mustFailAlone(matchmakerTriage, triageCases);
