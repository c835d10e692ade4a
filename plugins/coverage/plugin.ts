/** Sequencing coverage: genes, transcripts, exons and intervals of samples, from D4 files. */
import { directoryAdvice } from '../../core/files.js';
import { definePlugin, keepSwept, type PluginContext } from '../../core/plugin.js';
import { commands } from './commands.js';
import { coverage, type IntervalRepository } from './contract.js';
import { addDemo } from './demo/demo.js';
import { staleSets } from './intervals/loading.js';
import { announceReplaced } from './intervals-replaced.js';
import { registerJobs } from './jobs/register.js';
import { loadRight } from './rights.js';
import { registerRoutes } from './routes/register.js';
import { coverageServices } from './services.js';
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
  contracts: [coverage],
  commands,
  advice: async ({ roots, oidc }) => [...(await directoryAdvice('roots', roots)), ...issuerAdvice(oidc)],
  rights: [loadRight],
  register(context) {
    const services = coverageServices(context);
    registerRoutes(context, services);
    registerJobs(context, services);
    keepSwept(context, services.intervals, staleSets);
    if (context.demo) context.onReady(() => fillDemo(context, services.intervals));
    context.onClose(services.close);
  },
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

/** Loads the demo intervals before the server is ready, if nothing is loaded yet. */
async function fillDemo(
  { announce, log, now }: Pick<PluginContext<unknown>, 'announce' | 'log' | 'now'>,
  repository: IntervalRepository,
): Promise<void> {
  const sets = await addDemo(repository, now());
  await announceReplaced({ announce }, sets);
  if (sets.length > 0) log.info({ sets: sets.length }, 'demo intervals added');
}
