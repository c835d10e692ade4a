/** What other plugins may ask of the Human Phenotype Ontology. */
import type { PhenotypeService, PhenotypeTerm } from '../../services/matchmaker.js';
import type { Resources } from './resources.js';

/** The excerpt for the demo is not an ontology: of most terms it does not know the descendants. */
export function phenotypeService(resources: () => Resources): PhenotypeService {
  const loaded = () => resources().releases.find(({ kind, excerpt }) => kind === 'ontology' && !excerpt);
  return {
    async release() {
      const release = loaded();
      return release && { ...(release.version !== undefined && { version: release.version }) };
    },
    async terms(ids) {
      const found = new Map<string, PhenotypeTerm>();
      if (!loaded()) return found;
      const { ontology } = resources();
      for (const given of ids) {
        const term = ontology.resolve(given)?.term;
        if (term === undefined) continue;
        const [id, name] = [ontology.id(term), ontology.name(term)];
        const lineage = [...ontology.ancestors(term)].map((ancestor) => ontology.id(ancestor));
        found.set(given, { id, name, lineage: lineage.length > 0 ? lineage : [id] });
      }
      return found;
    },
  };
}
