/**
 * The promises of coverage@1, coverage-samples@1, coverage-tracks@1, coverage-cohorts@1, coverage-sites@1 and coverage-reports@1 as cases of the
 * conformance kit:
 *
 *     describeContract({ describe, it }, subject, coverage, coverageCases);
 *     describeContract({ describe, it }, subject, coverageSamples, sampleCases);
 *     describeContract({ describe, it }, subject, coverageTracks, trackCases);
 *     describeContract({ describe, it }, subject, coverageCohorts, cohortCases);
 *     describeContract({ describe, it }, subject, coverageSites, siteCases);
 *     describeContract({ describe, it }, subject, coverageReports, reportCases);
 */
import type { Case } from '../../core/conformance.js';
import { loadCases } from './conformance/loads.js';
import { lookupCases } from './conformance/lookups.js';
import type { IntervalRepository } from './contract.js';

export { cohortCases } from './conformance/cohorts.js';
export { reportCases } from './conformance/reports.js';
export { sampleCases } from './conformance/samples.js';
export { siteCases } from './conformance/sites.js';
export { trackCases } from './conformance/tracks.js';
export {
  coverage,
  coverageCohorts,
  coverageReports,
  coverageSamples,
  coverageSites,
  coverageTracks,
} from './contract.js';

export const coverageCases: readonly Case<IntervalRepository>[] = [...loadCases, ...lookupCases];
