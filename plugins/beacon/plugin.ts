/** The beacon: reports whether an allele exists in its datasets. */
import { directoryAdvice } from '../../core/files.js';
import { definePlugin, keepSwept, type PluginContext } from '../../core/plugin.js';
import { commands } from './commands.js';
import { type BeaconRepository, beacon, beaconGenes } from './contract.js';
import { addDemo, wantsDemo } from './demo/demo.js';
import { registerLoqusdb } from './faces/loqusdb.js';
import { registerObservations } from './faces/observations.js';
import { registerV1 } from './faces/v1.js';
import { registerJobs } from './jobs/register.js';
import { interruptedImports } from './loading/load.js';
import { rights } from './rights.js';
import { beaconServices } from './services.js';
import { type BeaconSettings, beaconSettings } from './settings.js';

export default definePlugin<BeaconSettings>({
  name: 'beacon',
  api: 1,
  summary: 'Reports whether an allele exists in its datasets',
  settings: beaconSettings,
  environment: {
    TREFOIL_BEACON_ROOTS: 'roots',
    TREFOIL_BEACON_UPLOADS: 'uploads.folder',
    TREFOIL_BEACON_LOQUSDB_SECRET: 'loqusdb.secret',
  },
  contracts: [beacon, beaconGenes],
  commands,
  async advice({ roots, organisation, loqusdb }, { demo }) {
    const nameless = !demo && organisation.name === '';
    const isOpen = loqusdb?.secret === undefined && loqusdb?.addresses.some((range) => range.endsWith('/0'));
    return [
      ...(await directoryAdvice('roots', roots)),
      ...(isOpen
        ? ['loqusdb.addresses: has all addresses, so that every client can read which cases carry a variant']
        : []),
      ...(nameless ? ['organisation.name: is empty, so that clients cannot see who runs this beacon'] : []),
    ];
  },
  rights,
  register(context) {
    const services = beaconServices(context);
    registerV1(context, services);
    registerLoqusdb(context, services);
    registerObservations(context, services);
    registerJobs(context, services);
    keepSwept(context, services.repository, interruptedImports);
    if (context.demo) context.onReady(() => fillDemo(context, services.repository));
  },
});

async function fillDemo(
  { log, now }: Pick<PluginContext<unknown>, 'log' | 'now'>,
  repository: BeaconRepository,
): Promise<void> {
  if (!wantsDemo(await repository.datasets())) return;
  const { dataset, added } = await addDemo(repository, now());
  log.info({ dataset, alleles: added.alleles }, 'demo data added');
}
