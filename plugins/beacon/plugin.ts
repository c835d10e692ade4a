/** The beacon: answers whether an allele exists in its datasets. */
import { definePlugin, directoryAdvice, keepSwept } from '../../core/plugin.js';
import { commands } from './commands.js';
import { beacon, beaconGenes } from './contract.js';
import { addDemo, wantsDemo } from './demo/demo.js';
import { accessBy } from './domain/access.js';
import { recentDatasets } from './domain/listing.js';
import { formPath, formRoute } from './faces/v1/routes/form.js';
import { infoRoutes } from './faces/v1/routes/info.js';
import { queryError, queryRoute } from './faces/v1/routes/query.js';
import { interruptedImports } from './loading/load.js';
import { type BeaconSettings, beaconSettings } from './settings.js';
import { registerWriting } from './writing.js';

export default definePlugin<BeaconSettings>({
  name: 'beacon',
  api: 1,
  summary: 'Answers whether an allele exists in its datasets',
  settings: beaconSettings,
  environment: { TREFOIL_BEACON_ROOTS: 'roots', TREFOIL_BEACON_UPLOADS: 'uploads.folder' },
  contracts: [beacon, beaconGenes],
  commands,
  async advice({ roots, organisation }, { demo }) {
    const nameless = !demo && organisation.name === '';
    return [
      ...(await directoryAdvice('roots', roots)),
      ...(nameless ? ['organisation.name: is empty, so that nobody can tell who runs this beacon'] : []),
    ];
  },
  scopes: ['write', 'admin'],
  register(context) {
    const { version, baseUrl } = context;
    const formUrl = baseUrl === undefined ? null : baseUrl + formPath;
    const settings = { ...context.settings, welcomeUrl: context.settings.welcomeUrl ?? formUrl };
    const repository = context.repository(beacon);
    const count = context.metrics.counter('queries_total', 'Allele queries by outcome', ['outcome']);

    const accessOf = accessBy(context.holderOf);
    const identity = { settings, version, started: context.now() };
    for (const route of infoRoutes(identity, repository, accessOf)) context.route(route);
    const datasets = recentDatasets(repository);
    const options = {
      settings,
      repository,
      datasets,
      accessOf,
      count: (outcome: string) => count({ outcome }),
    };
    context.route(queryRoute(options));
    context.route(formRoute({ ...options, baseUrl }));
    for (const path of ['/apiv1.0/query', formPath]) {
      context.errorBody(path, (...error) => queryError({ settings }, ...error));
    }
    context.link(formPath, 'Query form');
    registerWriting(context, repository);
    keepSwept(context, repository, interruptedImports);
    context.link('/apiv1.0/', 'Beacon information');

    if (context.demo) {
      context.onReady(async () => {
        if (!wantsDemo(await repository.datasets())) return;
        const { dataset, added } = await addDemo(repository, context.now());
        context.log.info({ dataset, alleles: added.alleles }, 'demo data added');
      });
    }
  },
});
