/** Sequencing coverage: genes, transcripts, exons and intervals of samples, from D4 files. */
import { definePlugin } from '../../core/plugin.js';
import {
  coverage,
  coverageCohorts,
  coverageRegions,
  coverageReports,
  coverageSamples,
  coverageSites,
  coverageTracks,
} from './contract.js';
import {
  aneuploidyRight,
  loadRight,
  readSamplesRight,
  registerRight,
  reportRight,
  sharedRight,
  ticketRight,
} from './rights.js';
import { type CoverageSettings, coverageSettings } from './settings.js';

export default definePlugin<CoverageSettings>({
  name: 'coverage',
  api: 1,
  summary: 'Reports how well genes are covered by sequencing',
  settings: coverageSettings,
  environment: {
    JWKS_URL: 'oidc.jwksUrl',
    AUDIENCE: 'oidc.audience',
    ISSUER: 'oidc.issuer',
    TREFOIL_COVERAGE_ROOTS: 'roots',
    REPORT_COVERAGE_LEVELS: 'levels',
  },
  stores: {
    'coverage@1': () => import('./intervals/store.js'),
    'coverage-samples@1': () => import('./samples/store.js'),
    'coverage-tracks@1': () => import('./samples/tracks/store.js'),
    'coverage-sites@1': () => import('./sites/store.js'),
    'coverage-regions@1': () => import('./sites/regions/store.js'),
    'coverage-cohorts@1': () => import('./cohorts/store.js'),
    'coverage-reports@1': () => import('./report/kept/store.js'),
  },
  contracts: [coverage, coverageSamples, coverageTracks, coverageCohorts, coverageSites, coverageRegions],
  contractsFor: ({ reports }) => (reports === undefined ? [] : [coverageReports]),
  commands: async () => (await import('./commands.js')).commands,
  advice: async (settings, about) => (await import('./advice.js')).adviceOn(settings, about),
  acceptedIssuers: ({ oidc: { jwksUrl, issuer } }) =>
    jwksUrl === undefined ? [] : issuer === undefined ? 'any' : [issuer],
  named: ({ roots, buckets }) => ({ roots, buckets }),
  listens: ['coverage/intervals-replaced@1', 'reviews/demo@1'],
  rights: [loadRight, registerRight, readSamplesRight, reportRight, sharedRight, aneuploidyRight, ticketRight],
  register: async (context) => (await import('./register.js')).register(context),
});
