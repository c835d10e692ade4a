/** The filters that work for a caller, as `/filtering_terms` lists them (Beacon v2.1.1). */
import { sexes } from '../contract.js';
import type { FilteredData } from './filters.js';
import { carrierEntries, sampleEntries } from './filters.js';
import { type People, peopleIn, statedTerms } from './people.js';
import { type OntologyResource, ontologies, sexTerms, zygosityTerms } from './vocabulary.js';
import { zygosities } from './zygosity.js';

export interface FilteringTerm {
  type: 'ontology' | 'alphanumeric';
  id: string;
  label?: string;
  /** Ids of the entry types that it filters. */
  scopes: readonly string[];
  /** The values of a closed alphanumeric filter. */
  values?: readonly string[];
}

export interface FilteringTerms {
  resources: readonly OntologyResource[];
  filteringTerms: readonly FilteringTerm[];
}

/** Those that occur in the datasets, without counts; those about samples only if the caller may know of any. By type and id. */
export async function filteringTerms({ datasets, source, phenotypes }: FilteredData): Promise<FilteringTerms> {
  const people = await peopleIn(source, datasets);
  const all = [...people.values()].flat();
  const closed = (id: string, values: readonly (string | undefined)[]): FilteringTerm[] => {
    const known = [...new Set(values)].filter((value) => value !== undefined).sort();
    return known.length > 0 ? [{ type: 'alphanumeric', id, scopes: sampleEntries, values: known }] : [];
  };
  const alphanumeric = [
    ...closed(
      'assay',
      all.map(({ labels }) => labels.assay),
    ),
    ...closed(
      'assembly',
      datasets.map(({ dataset }) => dataset.assembly),
    ),
    ...closed(
      'dataset',
      datasets.map(({ dataset }) => dataset.id),
    ),
    ...closed(
      'sex',
      all.map(({ sex }) => sex),
    ),
  ];
  const ofSexes = sexes.filter((sex) => all.some((sample) => sample.sex === sex)).map((sex) => sexTerms[sex]);
  const ontology: FilteringTerm[] = [
    ...[...ofSexes, ...(await phenotypeTerms(people, phenotypes))].map((term) => ({
      ...term,
      scopes: sampleEntries,
    })),
    ...(all.length > 0 ? zygosities.map((one) => ({ ...zygosityTerms[one], scopes: carrierEntries })) : []),
  ]
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .map((term) => ({ type: 'ontology', ...term }));
  const resources = await resourcesOf(ontology, phenotypes);
  return { resources, filteringTerms: [...alphanumeric, ...ontology] };
}

/** Those that are stated and, if the ontology is loaded, their ancestors: a filter finds people by these, too. */
async function phenotypeTerms(
  people: People,
  service: FilteredData['phenotypes'],
): Promise<{ id: string; label?: string }[]> {
  const stated = statedTerms(people);
  const known = (await service?.terms([...stated.keys()])) ?? new Map();
  const lineages = new Set([...known.values()].flatMap(({ lineage }) => lineage));
  const names = (await service?.terms([...lineages])) ?? new Map();
  const listed = new Map<string, { id: string; label?: string }>();
  for (const id of lineages) listed.set(id, { id, label: names.get(id)?.name ?? id });
  for (const [key, term] of stated) if (!known.has(key)) listed.set(key, { ...term, id: key });
  return [...listed.values()];
}

async function resourcesOf(
  terms: readonly FilteringTerm[],
  service: FilteredData['phenotypes'],
): Promise<OntologyResource[]> {
  const prefixes = new Set(terms.map(({ id }) => id.slice(0, id.indexOf(':'))));
  const { version } = (await service?.release()) ?? {};
  return [...prefixes].flatMap((prefix) => {
    const resource = ontologies.get(prefix);
    if (!resource) return [];
    return [{ ...resource, ...(prefix === 'HP' && version !== undefined && { version }) }];
  });
}
