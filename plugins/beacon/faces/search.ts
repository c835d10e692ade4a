/** The page at /beacon/search: variants for people, with what Beacon v2 tells programs. */
import type { PluginContext } from '../../../core/plugin.js';
import type { GeneStructures } from '../../services/coverage.js';
import { geneFinder, geneStructuresKey } from '../query/genes.js';
import type { BeaconServices } from '../services.js';
import { searchPath, searchRoute } from './search/route.js';

export function registerSearch(
  context: Pick<PluginContext<unknown>, 'route' | 'link' | 'find'>,
  services: BeaconServices,
): void {
  const structures = async () => context.find<GeneStructures>(geneStructuresKey);
  const findGene = geneFinder({ genes: services.genes, structures });
  context.route(searchRoute({ ...services, findGene, structures }));
  context.link(searchPath, 'Search for variants');
}
