/** The face of loqusdb: its routes for clients such as Scout, which send no token. Off unless configured. */
import type { PluginContext } from '../../../core/plugin.js';
import type { BeaconServices } from '../services.js';
import { loqusdbFace } from './loqusdb/face.js';
import { gate } from './loqusdb/gate.js';
import { caseRoutes } from './loqusdb/routes/cases.js';
import { infoRoute } from './loqusdb/routes/info.js';
import { errorDetail } from './loqusdb/routes/shape.js';
import { variantRoutes } from './loqusdb/routes/variants.js';

export function registerLoqusdb(
  context: Pick<PluginContext<unknown>, 'route' | 'errorBody' | 'use'>,
  services: BeaconServices,
): void {
  const { loqusdb } = services.settings;
  if (loqusdb === undefined) return;
  const face = loqusdbFace(services, loqusdb);
  for (const route of [infoRoute(face), ...variantRoutes(face), ...caseRoutes(face, services)]) context.route(route);
  context.errorBody(loqusdb.prefix, errorDetail);
  const admit = gate(loqusdb);
  context.use(loqusdb.prefix, ({ ip, path }, next) => {
    admit({ ip, path });
    return next();
  });
}
