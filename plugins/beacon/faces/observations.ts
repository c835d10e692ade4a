/** The face at /observations: how often, in whom and out of how many alleles were seen, for programs and for people. */
import type { PluginContext } from '../../../core/plugin.js';
import { observationsPath } from '../pages/observation-link.js';
import type { BeaconServices } from '../services.js';
import { batchRoute } from './observations/routes/batch.js';
import { datasetsRoute } from './observations/routes/datasets.js';
import { describeSamplesRoute, samplesRoute } from './observations/routes/samples.js';
import { singleRoute } from './observations/routes/single.js';

export function registerObservations(
  context: Pick<PluginContext<unknown>, 'route' | 'link'>,
  services: BeaconServices,
): void {
  const declare = [singleRoute, batchRoute, datasetsRoute, samplesRoute, describeSamplesRoute];
  for (const routeOf of declare) context.route(routeOf(services));
  context.link(observationsPath, 'Local observations');
}
