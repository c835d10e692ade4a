/** All routes of a node. */
import type { RouteDeclaration } from '../../core/plugin.js';
import type { Node } from './http/node.js';
import { addRoute, deleteRoute } from './routes/add.js';
import { externalRoute } from './routes/external.js';
import { importRoute } from './routes/import.js';
import { infoRoutes } from './routes/info.js';
import { matchRoute } from './routes/match.js';
import { matchesRoute } from './routes/matches.js';
import { patientRoutes } from './routes/patients.js';

/** All but the dashboard, which has a setting of its own. */
export function routes(node: Node): RouteDeclaration[] {
  return [
    addRoute(node),
    importRoute(node),
    deleteRoute(node),
    ...patientRoutes(node),
    matchRoute(node),
    externalRoute(node),
    matchesRoute(node),
    ...infoRoutes(node),
  ];
}
