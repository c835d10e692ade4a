/** Finds the service that knows the Human Phenotype Ontology. */
import type { PluginContext } from '../../../core/plugin.js';
import type { PhenotypeService } from '../../services/matchmaker.js';

/** The key under which the matchmaker plugin offers it. */
const phenotypesKey = 'matchmaker/phenotypes@1';

export type { PhenotypeService };

/** Undefined if no plugin offers it: terms then have no known descendants. */
export type FindPhenotypes = () => Promise<PhenotypeService | undefined>;

export function findPhenotypes({ find }: Pick<PluginContext<unknown>, 'find'>): FindPhenotypes {
  return async () => find<PhenotypeService>(phenotypesKey);
}
