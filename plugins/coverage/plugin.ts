/** Sequencing coverage: genes, transcripts, exons and intervals of samples, from D4 files. */
import { directoryAdvice } from '../../core/files.js';
import { definePlugin } from '../../core/plugin.js';
import { coverage, coverageCohorts, coverageSamples } from './contract.js';
import { loadRight, readSamplesRight, registerRight, reportRight, ticketRight } from './rights.js';
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
  contracts: [coverage, coverageSamples, coverageCohorts],
  commands: async () => (await import('./commands.js')).commands,
  advice: async ({ roots, oidc }) => [...(await directoryAdvice('roots', roots)), ...issuerAdvice(oidc)],
  rights: [loadRight, registerRight, readSamplesRight, reportRight, ticketRight],
  register: async (context) => (await import('./register.js')).register(context),
});

function issuerAdvice({ jwksUrl, issuer }: CoverageSettings['oidc']): string[] {
  if (jwksUrl !== undefined && issuer === undefined) {
    return ['oidc.issuer: is not set (ISSUER), so that tokens of every issuer with keys in the key set are accepted'];
  }
  if (jwksUrl === undefined && issuer !== undefined) {
    return [
      'oidc.issuer: is set (ISSUER), but no token is required without jwksUrl (JWKS_URL) and audience (AUDIENCE)',
    ];
  }
  return [];
}
