/** Sequencing coverage: genes, transcripts, exons and intervals of samples, from D4 files. */
import { directoryAdvice } from '../../core/files.js';
import { bearerVerifier, formOrCookieAccess, headerAccess } from '../../core/openid.js';
import { definePlugin, type PluginContext, type RouteDeclaration } from '../../core/plugin.js';
import { commands } from './commands.js';
import { coverage } from './contract.js';
import { demoFolder } from './demo/demo.js';
import { createMeasure, createMeasureColumns } from './domain/create-measure.js';
import { createExamine } from './domain/examine.js';
import { createPredictSex } from './domain/sex.js';
import { WorkQueue } from './domain/work-queue.js';
import { registerPages } from './pages/register.js';
import { requestCounter } from './routes/counted.js';
import { intervalFileRoute } from './routes/coverage-file.js';
import { genesSummaryRoute } from './routes/coverage-genes.js';
import { intervalRoute } from './routes/coverage-interval.js';
import { registerIntervals } from './routes/intervals.js';
import { predictedSexRoute } from './routes/predicted-sex.js';
import { type CoverageServices, tokenField } from './services.js';
import { type CoverageSettings, coverageSettings } from './settings.js';
import { coverageSources } from './sources/sources.js';

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
  scopes: ['load'],
  register(context) {
    const services = servicesOf(context);
    const counted = requestCounter(context.metrics);
    const counting = { ...context, route: (declaration: RouteDeclaration) => context.route(counted(declaration)) };
    const makers = [intervalRoute, intervalFileRoute, genesSummaryRoute, predictedSexRoute];
    for (const make of makers) counting.route(make(services));
    registerIntervals(context);
    registerPages(counting, services);
    context.onClose(() => services.sources.close());
  },
});

function servicesOf(context: PluginContext<CoverageSettings>): CoverageServices {
  const { settings, log, demo, metrics } = context;
  const roots = demo ? [...settings.roots, demoFolder] : settings.roots;
  const uses = metrics.counter('d4_uses_total', 'Uses of D4 files by whether they were open already', ['cache']);
  const onUse = (cached: boolean) => uses({ cache: cached ? 'hit' : 'miss' });
  const sources = coverageSources({ settings: { ...settings, roots }, log, onUse });
  metrics.gauge('d4_open', 'D4 files that are kept open', () => sources.open());
  const measure = createMeasure(sources, settings.limits);
  const predictSex = createPredictSex(sources, settings.sex);
  return {
    settings,
    sources,
    intervals: context.repository(coverage),
    measure,
    queue: new WorkQueue(),
    predictSex,
    examine: createExamine({ files: sources, measure: createMeasureColumns(sources, settings.limits), predictSex }),
    access: accessesOf(context),
  };
}

function issuerAdvice({ jwksUrl, issuer }: CoverageSettings['oidc']): string[] {
  if (jwksUrl !== undefined && issuer === undefined) {
    return ['oidc.issuer: is not set (ISSUER), so that tokens of every issuer with keys in the key set are accepted'];
  }
  if (jwksUrl === undefined && issuer !== undefined) {
    return [
      'oidc.issuer: is set (ISSUER), but no token is asked for without jwksUrl (JWKS_URL) and audience (AUDIENCE)',
    ];
  }
  return [];
}

/** The settings allow both or none of the key set's address and the audience. */
function accessesOf({ settings, log, now }: PluginContext<CoverageSettings>): CoverageServices['access'] {
  const { oidc, tokenFields } = settings;
  const { jwksUrl, audience, ...rules } = oidc;
  if (jwksUrl === undefined || audience === undefined) return {};
  const verify = bearerVerifier({ ...rules, jwksUrl, audience, log, now });
  return { header: headerAccess(verify), form: formOrCookieAccess(tokenField, verify, tokenFields) };
}
