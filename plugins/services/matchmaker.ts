/** What other plugins may ask of the matchmaker: its Human Phenotype Ontology, and the matches of submissions. */
import type { KnowledgeReader } from './beacon.js';

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

/** The service `matchmaker/matches@1`, offered if triage is on. */
export interface MatchesService {
  /**
   * The counterparts of submissions with these external ids, by id; ids of none that the reader may see are left out. It is recorded
   * in the audit unless the reader is a program.
   */
  matchesOf(
    reader: KnowledgeReader,
    patients: readonly string[],
  ): Promise<ReadonlyMap<string, readonly PatientMatch[]>>;
}

/** A counterpart of a submission, as triage lists it. */
export interface PatientMatch {
  /** Of the row in triage. */
  id: string;
  /** Symbols or ids of the genes that both have. */
  genes: readonly string[];
  status: 'new' | 'contacted' | 'they-contacted' | 'follow-up' | 'irrelevant' | 'solved';
  /** The name of the node that has the counterpart. */
  node: string;
  firstSeen: Date;
  lastSeen: Date;
  /** Below the server's address: the page of the row. */
  path: string;
}
