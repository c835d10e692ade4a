/**
 * The promises of coverage@1, coverage-samples@1, coverage-cohorts@1 and coverage-sites@1 as cases of the conformance kit:
 *
 *     describeContract({ describe, it }, subject, coverage, coverageCases);
 *     describeContract({ describe, it }, subject, coverageSamples, sampleCases);
 *     describeContract({ describe, it }, subject, coverageCohorts, cohortCases);
 *     describeContract({ describe, it }, subject, coverageSites, siteCases);
 */
import type { Case } from '../../core/conformance.js';
import { loadCases } from './conformance/loads.js';
import { lookupCases } from './conformance/lookups.js';
import type { IntervalRepository } from './contract.js';

export { cohortCases } from './conformance/cohorts.js';
export { sampleCases } from './conformance/samples.js';
export { siteCases } from './conformance/sites.js';
export { coverage, coverageCohorts, coverageSamples, coverageSites } from './contract.js';

export const coverageCases: readonly Case<IntervalRepository>[] = [...loadCases, ...lookupCases];
