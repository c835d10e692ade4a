/**
 * Filters on individuals (Beacon v2.1.1): which samples of which datasets a request is about, and the list of filters that work
 * for a caller. All filters must apply.
 */
import type { Fault } from '../../../../core/plugin.js';
import {
  type BeaconRepository,
  type Dataset,
  isTermId,
  type OntologyTerm,
  type Sample,
  sexes,
  termKey,
} from '../../contract.js';
import type { DisclosedDataset } from '../../disclosure.js';
import type { PhenotypeService } from '../../services.js';
import { assemblyOfParameter } from '../query/place.js';
import type { FilteringTerm, FilteringTermList, TermResource } from './framework/entry-type.js';
import { invalid, type SentFilter } from './framework/request.js';
import {
  ontologies,
  type People,
  peopleIn,
  phenotypePrefixes,
  sexTerms,
  statedTerms,
  termsOfSample,
  type Zygosity,
  zygosities,
  zygosityIds,
  zygosityTerms,
} from './individuals.js';

export interface FilteredData {
  datasets: readonly DisclosedDataset[];
  source: Pick<BeaconRepository, 'sampleFacts'>;
  phenotypes: PhenotypeService | undefined;
}

/** What filters leave. */
export interface FilterResult {
  datasets: readonly DisclosedDataset[];
  /**
   * The samples to which all filters apply, of datasets with any; undefined if no filter is about samples. Only datasets whose
   * cases the caller may know have any: elsewhere a filter would reveal what is known of the carrier of an allele.
   */
  samples?: People;
  /** Carriers count only if they have the allele so; in any way if undefined. */
  zygosity?: ReadonlySet<Zygosity>;
  /** Where a filter matches less than it might. */
  notes: readonly string[];
}

const leftOut =
  'Filters on people apply to datasets whose cases the caller may know: in the others nothing is looked for';

/** The entry types that filters on samples narrow. */
const sampleEntries = ['individual', 'biosample', 'run', 'analysis', 'genomicVariant'] as const;
const carrierEntries = ['genomicVariant'] as const;

type FilterRule =
  | { about: 'dataset'; applies: (dataset: Dataset) => boolean }
  | { about: 'sample'; applies: (sample: Sample) => boolean }
  | { about: 'zygosity'; zygosity: Zygosity };

/** Throws an `invalid` fault for a filter that does not work for the caller, or not for entries of that type (`scope`). */
export async function applyFilters(
  filters: readonly SentFilter[],
  { datasets, source, phenotypes }: FilteredData,
  scope: string,
): Promise<FilterResult> {
  const ofDatasets = filters.filter(({ id }) => Object.hasOwn(datasetFilters, id));
  const rules = ofDatasets.map((filter) => checkedScope(filter, datasetRule(filter), scope));
  const open = datasets.filter(({ dataset }) =>
    rules.every((rule) => rule.about !== 'dataset' || rule.applies(dataset)),
  );
  const others = filters.filter((filter) => !ofDatasets.includes(filter));
  if (others.length === 0) return { datasets: open, notes: [] };
  // Which filters there are does not depend on the others.
  const people = await peopleIn(source, datasets);
  const [first] = others;
  if (people.size === 0 && first) throw unknownFilter(first);
  const terms = await TermMatcher.of(people, others, phenotypes);
  const personal = others.map((filter) => checkedScope(filter, personalRule(filter, terms), scope));
  const left = open.flatMap((one): [DisclosedDataset, readonly Sample[]][] => {
    const samples = people
      .get(one.dataset.id)
      ?.filter((sample) => personal.every((rule) => rule.about !== 'sample' || rule.applies(sample)));
    return samples && samples.length > 0 ? [[one, samples]] : [];
  });
  const zygosity = zygosityOfRules(personal);
  return {
    datasets: left.map(([one]) => one),
    samples: new Map(left.map(([{ dataset }, samples]) => [dataset.id, samples])),
    ...(zygosity && { zygosity }),
    notes: [...terms.notes, ...(people.size < datasets.length ? [leftOut] : [])],
  };
}

function zygosityOfRules(rules: readonly FilterRule[]): ReadonlySet<Zygosity> | undefined {
  const asked = rules.flatMap((rule) => (rule.about === 'zygosity' ? [rule.zygosity] : []));
  const [first] = asked;
  if (first === undefined) return undefined;
  return new Set(asked.every((zygosity) => zygosity === first) ? [first] : []);
}

function checkedScope(filter: SentFilter, rule: FilterRule, asked: string): FilterRule {
  const types: readonly string[] = rule.about === 'zygosity' ? carrierEntries : sampleEntries;
  if (filter.scope !== undefined && !types.includes(filter.scope)) {
    throw invalid(
      `scope of filter ${shownText(filter.id)} must be one of ${types.join(', ')}; got ${shownText(filter.scope)}`,
    );
  }
  if (!types.includes(asked))
    throw invalid(`Filter ${shownText(filter.id)} is for ${types.join(', ')}, not for ${asked}`);
  return rule;
}

/** Filters on datasets, for every caller. */
const datasetFilters = {
  dataset: ({ id }: Dataset) => id,
  assembly: ({ assembly }: Dataset) => assembly,
} satisfies Record<string, (dataset: Dataset) => string>;

/** Filters on samples by text; undefined if it is unknown, which neither equals nor differs from anything. */
const sampleFilters = {
  sex: ({ sex }: Sample) => sex,
  assay: ({ labels }: Sample) => labels.assay,
} satisfies Record<string, (sample: Sample) => string | undefined>;

function datasetRule(filter: SentFilter): FilterRule {
  const compare = comparisonWith(withAssembly(filter));
  const text = datasetFilters[filter.id as keyof typeof datasetFilters];
  return { about: 'dataset', applies: (dataset) => compare(text(dataset)) };
}

/** By any of its names: `hg19` that matches nothing would be a wrong no. */
function withAssembly(filter: SentFilter): SentFilter {
  if (filter.id !== 'assembly' || filter.value === undefined || filter.value.includes('%')) return filter;
  return { ...filter, value: assemblyOfParameter(filter.value, 'value of filter "assembly"') ?? filter.value };
}

/** A word for a sex that no sample can have would match no sample, as if the allele had no carriers. */
function checkSex({ id, value }: SentFilter): void {
  if (id !== 'sex' || value === undefined || value.includes('%') || sexes.some((sex) => sex === value)) return;
  throw invalid(`value of filter "sex" must be ${sexes.join(', ')}; got ${shownText(value)}`);
}

function personalRule(filter: SentFilter, terms: TermMatcher): FilterRule {
  const { id } = filter;
  if (Object.hasOwn(sampleFilters, id)) {
    const compare = comparisonWith(filter);
    checkSex(filter);
    const text = sampleFilters[id as keyof typeof sampleFilters];
    return { about: 'sample', applies: (sample) => compare(text(sample)) };
  }
  if (!isTermId(id)) throw unknownFilter(filter);
  if (filter.operator !== undefined) {
    throw invalid(`Filter ${shownText(id)} is an ontology term: it takes neither operator nor value`);
  }
  const key = termKey(id);
  const sex = sexes.find((one) => sexTerms[one].id === key);
  if (sex) return { about: 'sample', applies: (sample) => sample.sex === sex };
  const zygosity = zygosityIds.get(key);
  if (zygosity) return { about: 'zygosity', zygosity };
  const wanted = terms.wanted(filter);
  if (!wanted) throw unknownFilter(filter);
  return { about: 'sample', applies: (sample) => termsOfSample(sample).some((term) => wanted.has(termKey(term.id))) };
}

type OntologyTerms = Awaited<ReturnType<PhenotypeService['terms']>>;

/** Phenotypes and diseases: those stated, and their terms in the ontology. */
class TermMatcher {
  readonly notes: string[] = [];
  readonly #stated: ReadonlyMap<string, OntologyTerm>;
  readonly #known: OntologyTerms;
  readonly #isLoaded: boolean;

  private constructor(stated: ReadonlyMap<string, OntologyTerm>, known: OntologyTerms, isLoaded: boolean) {
    this.#stated = stated;
    this.#known = known;
    this.#isLoaded = isLoaded;
  }

  static async of(
    people: People,
    filters: readonly SentFilter[],
    service: PhenotypeService | undefined,
  ): Promise<TermMatcher> {
    const stated = statedTerms(people);
    const asked = filters.map(({ id }) => termKey(id));
    const known: OntologyTerms = (await service?.terms([...new Set([...stated.keys(), ...asked])])) ?? new Map();
    return new TermMatcher(stated, known, (await service?.release()) !== undefined);
  }

  /** The stated terms, by key, that a filter asks for; undefined if there is no such term. */
  wanted({ id, includeDescendantTerms }: SentFilter): ReadonlySet<string> | undefined {
    const key = termKey(id);
    const canonical = (term: string) => this.#known.get(term)?.id ?? term;
    if (!this.#exists(key)) return undefined;
    if (includeDescendantTerms && !this.#known.has(key)) {
      this.notes.push(`Descendants of ${id} are not known here: the filter matches this term alone`);
    }
    const matching = [...this.#stated.keys()].filter((term) => {
      const lineage = this.#known.get(term)?.lineage ?? [term];
      return canonical(term) === canonical(key) || (includeDescendantTerms && lineage.includes(canonical(key)));
    });
    return new Set(matching);
  }

  /** Terms of an ontology that is loaded exist if it has them; of another, if anyone states one of its terms. */
  #exists(key: string): boolean {
    if (this.#stated.has(key) || this.#known.has(key)) return true;
    const prefix = prefixOf(key);
    if (prefix === 'HP' && this.#isLoaded) return false;
    return phenotypePrefixes.has(prefix) || [...this.#stated.keys()].some((term) => prefixOf(term) === prefix);
  }
}

function prefixOf(key: string): string {
  return key.slice(0, key.indexOf(':'));
}

/** Compares a value with that of an alphanumeric filter, in which `%` stands for any text. */
function comparisonWith({ id, operator, value }: SentFilter): (known: string | undefined) => boolean {
  if (operator === undefined || value === undefined) {
    throw invalid(
      `Filter ${shownText(id)} takes an operator and a value: { "id": ${shownText(id)}, "operator": "=", "value": … }`,
    );
  }
  if (operator !== '=' && operator !== '!') {
    throw invalid(`operator of filter ${shownText(id)} must be = or !; got ${shownText(operator)}`);
  }
  const isLike = like(value);
  return (known) => known !== undefined && isLike(known) === (operator === '=') && !isUnsaid(id, known, operator);
}

/** An unknown sex does not differ from any. */
function isUnsaid(id: string, known: string, operator: string): boolean {
  return id === 'sex' && known === 'unknown' && operator === '!';
}

/** Not by a regular expression: many wildcards would take it very long. */
function like(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.split('%');
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    const end = text.length - last.length;
    let at = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found < 0 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  };
}

/** The same for a filter that never exists and for one that needs data which the caller may not see. */
function unknownFilter({ id }: SentFilter): Fault {
  return invalid(`There is no filter ${shownText(id)}: /beacon/v2/filtering_terms lists those that work`);
}

function shownText(text: string): string {
  return JSON.stringify(text.length <= 60 ? text : `${text.slice(0, 60)}…`);
}

// The filters that work for a caller, as `/filtering_terms` lists them (Beacon v2.1.1).

/** Those that occur in the datasets, without counts; those about samples only if the caller may know of any. By type and id. */
export async function filteringTerms({ datasets, source, phenotypes }: FilteredData): Promise<FilteringTermList> {
  const people = await peopleIn(source, datasets);
  const all = [...people.values()].flat();
  const closed = (id: string, values: readonly (string | undefined)[]): FilteringTerm[] => {
    const known = [...new Set(values)].filter((value) => value !== undefined).sort();
    return known.length > 0 ? [{ type: 'alphanumeric', id, scopes: sampleEntries, values: known }] : [];
  };
  const values = {
    assay: all.map(({ labels }) => labels.assay),
    assembly: datasets.map(({ dataset }) => dataset.assembly),
    dataset: datasets.map(({ dataset }) => dataset.id),
    sex: all.map(({ sex }) => sex),
  };
  const alphanumeric = Object.entries(values).flatMap(([id, known]) => closed(id, known));
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
): Promise<TermResource[]> {
  const prefixes = new Set(terms.map(({ id }) => id.slice(0, id.indexOf(':'))));
  const { version } = (await service?.release()) ?? {};
  return [...prefixes].flatMap((prefix) => {
    const resource = ontologies.get(prefix);
    if (!resource) return [];
    return [{ ...resource, ...(prefix === 'HP' && version !== undefined && { version }) }];
  });
}
