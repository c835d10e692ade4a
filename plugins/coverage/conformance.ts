/**
 * The promises of coverage@1 and coverage-samples@1 as cases of the conformance kit:
 *
 *     describeContract({ describe, it }, subject, coverage, coverageCases);
 *     describeContract({ describe, it }, subject, coverageSamples, sampleCases);
 */
import type { Case } from '../../core/conformance.js';
import { loadCases } from './conformance/loads.js';
import { lookupCases } from './conformance/lookups.js';
import type { IntervalRepository } from './contract.js';

export { sampleCases } from './conformance/samples.js';
export { coverage, coverageSamples } from './contract.js';

export const coverageCases: readonly Case<IntervalRepository>[] = [...loadCases, ...lookupCases];
