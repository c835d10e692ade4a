/** What other plugins may ask of the Human Phenotype Ontology, of which they see these types only. */
import type { Resources } from './resources.js';

export interface PhenotypeTerm {
  /** The active term that an id stands for. */
  id: string;
  name: string;
  /** That term and its ancestors, up to HP:0000118 (Phenotypic abnormality); the term alone outside that branch. */
  lineage: readonly string[];
}

/** The service `matchmaker/phenotypes@1`. */
export interface PhenotypeService {
  /** The version of the complete ontology that is loaded, if it states one; undefined if none is loaded. */
  release(): Promise<{ version?: string } | undefined>;
  /** What the ontology knows of each id, by the id as given; ids that it does not know are left out. Empty if none is loaded. */
  terms(ids: readonly string[]): Promise<ReadonlyMap<string, PhenotypeTerm>>;
}

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
