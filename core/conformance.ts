/**
 * The conformance kit: what a storage adapter must do, as cases that any test runner can run.
 *
 *     import { describe, it } from 'mocha';
 *     import { describeContract, describeStorage, jobCases, jobs } from 'trefoil/conformance';
 *
 *     const subject = { name: 'My engine', capabilities, open: async (contracts) => ({ storage: … }) };
 *     describeStorage({ describe, it }, subject);
 *     describeContract({ describe, it }, subject, jobs, jobCases);
 *
 * An adapter that passes can replace any other. No case can be switched off: an engine that lacks a capability does not
 * declare it, and the cases that need the capability do not apply.
 */
import { tokens } from './auth/contract.js';
import type { Case, Runner, RunOptions, Subject } from './conformance/case.js';
import { describeCases } from './conformance/run.js';
import { storageCases } from './conformance/storage.js';
import { jobs } from './jobs/contract.js';
import type { Contract } from './storage.js';

export { audit } from './audit/contract.js';
export { tokens } from './auth/contract.js';
export { sessions } from './auth/sessions/contract.js';
export { auditCases } from './conformance/audit.js';
export type { Case, CaseContext, Opened, Runner, RunOptions, Subject } from './conformance/case.js';
export { erasureCases } from './conformance/erasures.js';
export { atMost, faultOf, faults, type Gate, gate, keepsSecret, same } from './conformance/expect.js';
export { jobCases } from './conformance/jobs.js';
export { type Property, property, Random } from './conformance/random.js';
export { BrokenPromise, runCase } from './conformance/run.js';
export { sessionCases } from './conformance/sessions.js';
export { storageCases } from './conformance/storage.js';
export { tokenCases } from './conformance/tokens.js';
export { erasures } from './erasures/contract.js';
export { jobs } from './jobs/contract.js';

/** The promises of every storage, whatever its contracts; tested with the core's own two. */
export function describeStorage(runner: Runner, subject: Subject, options: RunOptions = {}): void {
  describeCases(runner, subject, 'Storage', tokens, storageCases, { ...options, also: [jobs] });
}

/** The promises of one contract. The owner of a contract exports its cases with it. */
export function describeContract<Repository>(
  runner: Runner,
  subject: Subject,
  contract: Contract<Repository>,
  cases: readonly Case<Repository>[],
  options: RunOptions = {},
): void {
  describeCases(runner, subject, contract.id, contract, cases, options);
}
