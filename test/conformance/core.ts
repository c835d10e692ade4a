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
import { tokens } from '../../core/auth/contract.js';
import { jobs } from '../../core/jobs/contract.js';
import type { Contract } from '../../core/storage.js';
import type { Case, Runner, RunOptions, Subject } from './core/case.js';
import { describeCases } from './core/run.js';
import { storageCases } from './core/storage.js';

export { audit } from '../../core/audit/contract.js';
export { sessions, tokens } from '../../core/auth/contract.js';
export { erasures } from '../../core/erasures/contract.js';
export { jobs } from '../../core/jobs/contract.js';
export type { Contract, StorageScope, Store } from '../../core/storage.js';
export { auditCases } from './core/audit.js';
export {
  type Case,
  type CaseContext,
  cases,
  type Opened,
  type Runner,
  type RunOptions,
  type Subject,
} from './core/case.js';
export { erasureCases } from './core/erasures.js';
export {
  at,
  atMost,
  daysLater,
  faultOf,
  faults,
  type Gate,
  gate,
  giveUp,
  givingUp,
  imitations,
  keepsSecret,
  lookalikes,
  type Meeting,
  meet,
  meeting,
  oddText,
  onlyOne,
  originals,
  readDuring,
  reopening,
  same,
  undone,
} from './core/expect.js';
export { jobCases } from './core/jobs.js';
export { type Property, property, Random } from './core/random.js';
export { BrokenPromise, runCase } from './core/run.js';
export { sessionCases } from './core/sessions.js';
export { storageCases } from './core/storage.js';
export { probe, probeStore } from './core/tables/probe.js';
export { tableCases } from './core/tables.js';
export { tokenCases } from './core/tokens.js';

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
