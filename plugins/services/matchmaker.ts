/** What other plugins may ask of the Human Phenotype Ontology that the matchmaker has. */
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
