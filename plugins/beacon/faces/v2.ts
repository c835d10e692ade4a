/** The face at /beacon/v2: Beacon v2.1.1 of GA4GH, for networks and their clients. */
import type { PluginContext } from '../../../core/plugin.js';
import type { GeneStructures } from '../../services/coverage.js';
import { filteringTerms } from '../individuals/filtering-terms.js';
import { type FindGene, geneFinder, geneStructuresKey } from '../query/genes.js';
import type { BeaconServices } from '../services.js';
import { analysis } from './v2/entries/analysis.js';
import { biosample } from './v2/entries/biosample.js';
import { cohort } from './v2/entries/cohort.js';
import { dataset } from './v2/entries/dataset.js';
import { genomicVariant } from './v2/entries/genomic-variant.js';
import { individual } from './v2/entries/individual.js';
import { run } from './v2/entries/run.js';
import { documentRoutes } from './v2/framework/document-routes.js';
import { entryRoutes } from './v2/framework/entry-routes.js';
import type { EntryType } from './v2/framework/entry-type.js';
import { beaconError } from './v2/framework/errors.js';
import { type Face, root } from './v2/framework/face.js';
import { schemaRoute } from './v2/framework/schemas.js';
import { syntheticView } from './v2/test-data/view.js';
import { sitesRoute } from './v2/variants/sites.js';

/** Everything that the face offers, in the order of its documents. */
function entryTypesOf({ phenotypes, settings }: BeaconServices, findGene: FindGene): EntryType[] {
  const { name, queries } = settings;
  const people = { phenotypes, limit: queries.limit };
  return [
    dataset,
    cohort,
    genomicVariant({ ...people, findGene, name }),
    individual(people),
    biosample(people),
    run(people),
    analysis(people),
  ];
}

export function registerV2(
  context: Pick<PluginContext<unknown>, 'route' | 'errorBody' | 'link' | 'find'>,
  services: BeaconServices,
): void {
  const structures = async () => context.find<GeneStructures>(geneStructuresKey);
  const face: Face = {
    services,
    entryTypes: entryTypesOf(services, geneFinder({ genes: services.genes, structures })),
    terms: async ({ open: datasets, source }) =>
      filteringTerms({ datasets, source, phenotypes: await services.phenotypes() }),
    testView: syntheticView,
  };
  for (const route of [...documentRoutes(face), ...entryRoutes(face), schemaRoute(), sitesRoute(face)])
    context.route(route);
  context.errorBody(root, (fault, status) => beaconError(services.settings.id, fault, status));
  context.link(`${root}/info`, 'Beacon v2');
}
