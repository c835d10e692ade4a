/** The face at /beacon/v2: Beacon v2.1.1 of GA4GH, for networks and their clients. */
import type { PluginContext } from '../../../../core/plugin.js';
import type { GeneStructures } from '../../../services/coverage.js';
import type { BeaconServices } from '../../services.js';
import { type FindGene, geneFinder, geneStructuresKey } from '../query/question.js';
import { withEffectTerms } from './effects.js';
import { cohort, dataset } from './entries/datasets.js';
import { genomicVariant } from './entries/genomic-variant.js';
import { personEntries } from './entries/people.js';
import { filteringTerms } from './filters.js';
import { entryRoutes } from './framework/answer.js';
import { documentRoutes, schemaRoute } from './framework/documents.js';
import { type EntryType, type Face, root } from './framework/entry-type.js';
import { beaconError } from './framework/envelope.js';
import { syntheticView } from './test-data.js';
import { sitesRoute } from './variants/sites.js';

/** Everything that the face offers, in the order of its documents. */
function entryTypesOf({ phenotypes, formOf, settings }: BeaconServices, findGene: FindGene): EntryType[] {
  const { name, queries } = settings;
  const people = { phenotypes, limit: queries.limit };
  return [dataset, cohort, genomicVariant({ ...people, findGene, formOf, name }), ...personEntries(people)];
}

export function registerV2(
  context: Pick<PluginContext<unknown>, 'route' | 'errorBody' | 'link' | 'find'>,
  services: BeaconServices,
): void {
  const structures = async () => context.find<GeneStructures>(geneStructuresKey);
  const face: Face = {
    services,
    entryTypes: entryTypesOf(services, geneFinder({ genes: services.genes, structures })),
    terms: async ({ open: datasets, source, annotations }) => {
      const terms = await filteringTerms({ datasets, source, phenotypes: await services.phenotypes() });
      return withEffectTerms(terms, annotations);
    },
    testView: syntheticView,
  };
  for (const route of [...documentRoutes(face), ...entryRoutes(face), schemaRoute(), sitesRoute(face)])
    context.route(route);
  context.errorBody(root, (fault, status) => beaconError(services.settings.id, fault, status));
  context.link(`${root}/info`, 'Beacon v2');
}
