/** Filters on people (Beacon v2.1.1): which samples, of which datasets, a request is about. All filters must apply. */
import { Fault } from '../../../core/plugin.js';
import type { BeaconRepository, Dataset, Sample } from '../contract.js';
import { isTermId, type OntologyTerm, sexes, termKey } from '../contract.js';
import type { Disclosed } from '../disclosure.js';
import { assemblyOf } from '../query/names.js';
import type { PhenotypeService } from './find-phenotypes.js';
import { type People, peopleIn, statedTerms, termsOf } from './people.js';
import { phenotypePrefixes, sexTerms, zygosityIds } from './vocabulary.js';
import type { Zygosity } from './zygosity.js';

/** A filter as a client sends it. Only an alphanumeric one has an operator and a value. */
export interface Filter {
  id: string;
  operator?: string;
  value?: string;
  /** The entry type that it is about; any if omitted. */
  scope?: string;
  /** For an ontology term: whether its descendants count, too. */
  includeDescendantTerms: boolean;
}

export interface FilteredData {
  datasets: readonly Disclosed[];
  source: Pick<BeaconRepository, 'sampleFacts'>;
  phenotypes: PhenotypeService | undefined;
}

/** What filters leave. */
export interface Narrowed {
  datasets: readonly Disclosed[];
  /**
   * The samples to which all filters apply, of datasets with any; undefined if no filter is about samples. Only datasets whose
   * cases the caller may know have any: elsewhere a filter would tell what is known of the carrier of an allele.
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
export const sampleEntries = ['individual', 'biosample', 'run', 'analysis', 'genomicVariant'] as const;
export const carrierEntries = ['genomicVariant'] as const;

type Rule =
  | { about: 'dataset'; applies: (dataset: Dataset) => boolean }
  | { about: 'sample'; applies: (sample: Sample) => boolean }
  | { about: 'zygosity'; zygosity: Zygosity };

/** Throws an `invalid` fault for a filter that does not work for the caller, or not for entries of that type (`scope`). */
export async function narrowed(
  filters: readonly Filter[],
  { datasets, source, phenotypes }: FilteredData,
  scope: string,
): Promise<Narrowed> {
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
  const terms = await Terms.of(people, others, phenotypes);
  const personal = others.map((filter) => checkedScope(filter, personalRule(filter, terms), scope));
  const left = open.flatMap((one): [Disclosed, readonly Sample[]][] => {
    const samples = people
      .get(one.dataset.id)
      ?.filter((sample) => personal.every((rule) => rule.about !== 'sample' || rule.applies(sample)));
    return samples && samples.length > 0 ? [[one, samples]] : [];
  });
  const zygosity = zygosityOf(personal);
  return {
    datasets: left.map(([one]) => one),
    samples: new Map(left.map(([{ dataset }, samples]) => [dataset.id, samples])),
    ...(zygosity && { zygosity }),
    notes: [...terms.notes, ...(people.size < datasets.length ? [leftOut] : [])],
  };
}

function zygosityOf(rules: readonly Rule[]): ReadonlySet<Zygosity> | undefined {
  const asked = rules.flatMap((rule) => (rule.about === 'zygosity' ? [rule.zygosity] : []));
  const [first] = asked;
  if (first === undefined) return undefined;
  return new Set(asked.every((zygosity) => zygosity === first) ? [first] : []);
}

function checkedScope(filter: Filter, rule: Rule, asked: string): Rule {
  const types: readonly string[] = rule.about === 'zygosity' ? carrierEntries : sampleEntries;
  if (filter.scope !== undefined && !types.includes(filter.scope)) {
    throw invalid(`scope of filter ${shown(filter.id)} must be one of ${types.join(', ')}; got ${shown(filter.scope)}`);
  }
  if (!types.includes(asked)) throw invalid(`Filter ${shown(filter.id)} is for ${types.join(', ')}, not for ${asked}`);
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

function datasetRule(filter: Filter): Rule {
  const compare = comparison(withAssembly(filter));
  const text = datasetFilters[filter.id as keyof typeof datasetFilters];
  return { about: 'dataset', applies: (dataset) => compare(text(dataset)) };
}

/** By any of its names: `hg19` that matches nothing would be a wrong no. */
function withAssembly(filter: Filter): Filter {
  if (filter.id !== 'assembly' || filter.value === undefined || filter.value.includes('%')) return filter;
  return { ...filter, value: assemblyOf(filter.value, 'value of filter "assembly"') ?? filter.value };
}

/** A word for a sex that no sample can have would match nobody, as if nobody had the allele. */
function checkSex({ id, value }: Filter): void {
  if (id !== 'sex' || value === undefined || value.includes('%') || sexes.some((sex) => sex === value)) return;
  throw invalid(`value of filter "sex" must be ${sexes.join(', ')}; got ${shown(value)}`);
}

function personalRule(filter: Filter, terms: Terms): Rule {
  const { id } = filter;
  if (Object.hasOwn(sampleFilters, id)) {
    const compare = comparison(filter);
    checkSex(filter);
    const text = sampleFilters[id as keyof typeof sampleFilters];
    return { about: 'sample', applies: (sample) => compare(text(sample)) };
  }
  if (!isTermId(id)) throw unknownFilter(filter);
  if (filter.operator !== undefined) {
    throw invalid(`Filter ${shown(id)} is an ontology term: it takes neither operator nor value`);
  }
  const key = termKey(id);
  const sex = sexes.find((one) => sexTerms[one].id === key);
  if (sex) return { about: 'sample', applies: (sample) => sample.sex === sex };
  const zygosity = zygosityIds.get(key);
  if (zygosity) return { about: 'zygosity', zygosity };
  const wanted = terms.wanted(filter);
  if (!wanted) throw unknownFilter(filter);
  return { about: 'sample', applies: (sample) => termsOf(sample).some((term) => wanted.has(termKey(term.id))) };
}

type KnownTerms = Awaited<ReturnType<PhenotypeService['terms']>>;

/** Phenotypes and diseases: those stated, and what the ontology knows of them. */
class Terms {
  readonly notes: string[] = [];
  readonly #stated: ReadonlyMap<string, OntologyTerm>;
  readonly #known: KnownTerms;
  readonly #isLoaded: boolean;

  private constructor(stated: ReadonlyMap<string, OntologyTerm>, known: KnownTerms, isLoaded: boolean) {
    this.#stated = stated;
    this.#known = known;
    this.#isLoaded = isLoaded;
  }

  static async of(people: People, filters: readonly Filter[], service: PhenotypeService | undefined): Promise<Terms> {
    const stated = statedTerms(people);
    const asked = filters.map(({ id }) => termKey(id));
    const known: KnownTerms = (await service?.terms([...new Set([...stated.keys(), ...asked])])) ?? new Map();
    return new Terms(stated, known, (await service?.release()) !== undefined);
  }

  /** The stated terms, by key, that a filter asks for; undefined if there is no such term. */
  wanted({ id, includeDescendantTerms }: Filter): ReadonlySet<string> | undefined {
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
function comparison({ id, operator, value }: Filter): (known: string | undefined) => boolean {
  if (operator === undefined || value === undefined) {
    throw invalid(
      `Filter ${shown(id)} takes an operator and a value: { "id": ${shown(id)}, "operator": "=", "value": … }`,
    );
  }
  if (operator !== '=' && operator !== '!') {
    throw invalid(`operator of filter ${shown(id)} must be = or !; got ${shown(operator)}`);
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
function unknownFilter({ id }: Filter): Fault {
  return invalid(`There is no filter ${shown(id)}: /beacon/v2/filtering_terms lists those that work`);
}

function invalid(message: string): Fault {
  return new Fault('invalid', message);
}

function shown(text: string): string {
  return JSON.stringify(text.length <= 60 ? text : `${text.slice(0, 60)}…`);
}
