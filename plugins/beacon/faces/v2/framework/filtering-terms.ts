/** The filters that work, as `/filtering_terms` lists them (beaconFilteringTermsResults.json). */
import type { View } from './view.js';

export interface FilteringTerm {
  type: 'ontology' | 'alphanumeric' | 'custom';
  id: string;
  label?: string;
  /** Ids of the entry types that it filters. */
  scopes: readonly string[];
  /** The values of a closed alphanumeric filter. */
  values?: readonly string[];
}

export interface Resource {
  id: string;
  name?: string;
  url?: string;
  version?: string;
  nameSpacePrefix?: string;
  iriPrefix?: string;
}

export interface TermList {
  resources: readonly Resource[];
  filteringTerms: readonly FilteringTerm[];
}

/** Those that occur in datasets that the view shows, in a stable order: others would tell of hidden data. */
export type FilteringTerms = (view: View) => Promise<TermList>;
