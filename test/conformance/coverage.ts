/**
 * The promises of coverage@1, coverage-samples@1, coverage-tracks@1, coverage-cohorts@1, coverage-sites@1,
 * coverage-regions@1 and coverage-reports@1 as cases of the conformance kit:
 *
 *     describeContract({ describe, it }, subject, coverage, coverageCases);
 *     describeContract({ describe, it }, subject, coverageSamples, sampleCases);
 *     describeContract({ describe, it }, subject, coverageTracks, trackCases);
 *     describeContract({ describe, it }, subject, coverageCohorts, cohortCases);
 *     describeContract({ describe, it }, subject, coverageSites, siteCases);
 *     describeContract({ describe, it }, subject, coverageRegions, regionCases);
 *     describeContract({ describe, it }, subject, coverageReports, reportCases);
 */
import { store as cohorts } from '../../plugins/coverage/cohorts/store.js';
import type { IntervalRepository } from '../../plugins/coverage/contract.js';
import { store as intervals } from '../../plugins/coverage/intervals/store.js';
import { store as reports } from '../../plugins/coverage/report/kept/store.js';
import { store as samples } from '../../plugins/coverage/samples/store.js';
import { store as tracks } from '../../plugins/coverage/samples/tracks/store.js';
import { store as regions } from '../../plugins/coverage/sites/regions/store.js';
import { store as sites } from '../../plugins/coverage/sites/store.js';
import type { Case, Store } from './core.js';
import { loadCases } from './coverage/loads.js';
import { lookupCases } from './coverage/lookups.js';

export {
  coverage,
  coverageCohorts,
  coverageRegions,
  coverageReports,
  coverageSamples,
  coverageSites,
  coverageTracks,
} from '../../plugins/coverage/contract.js';
export { cohortCases } from './coverage/cohorts.js';
export { regionCases } from './coverage/regions.js';
export { reportCases } from './coverage/reports.js';
export { sampleCases } from './coverage/samples.js';
export { siteCases } from './coverage/sites.js';
export { trackCases } from './coverage/tracks.js';

/** For adapters with tables: what the plugin brings in `stores`. */
export const coverageStores: readonly Store[] = [intervals, samples, tracks, sites, regions, cohorts, reports];

export const coverageCases: readonly Case<IntervalRepository>[] = [...loadCases, ...lookupCases];
