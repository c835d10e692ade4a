/**
 * Filters on the effects of variants, as annotations state them: the alphanumeric filter `molecularEffects`, whose value is a
 * consequence term by name, label or id, and the ids of the Sequence Ontology. All of them must apply.
 */

import { consequenceTerm } from '../../vcf/consequences/terms.js';
import { type AnnotatedDatasets, effectNamed, effectOf } from '../query/naming.js';
import type { FilterResult } from './filters.js';
import type { FilteringTerm, FilteringTermList } from './framework/entry-type.js';
import { invalid, type SentFilter, shownValue } from './framework/request.js';

const effectFilter = 'molecularEffects';
const scope = 'genomicVariant';

/** Of each set, an allele has one of the consequence terms. */
export type RequestedEffects = readonly ReadonlySet<string>[];

/** What a request is about. */
export interface RequestedEntries extends FilterResult {
  /** Undefined if no filter is about effects. */
  effects?: RequestedEffects | undefined;
}

interface SeparatedFilters {
  effects: RequestedEffects | undefined;
  others: readonly SentFilter[];
}

/**
 * Takes those on effects from the filters of a request for entries of a type. If nothing is annotated there are none. Throws an
 * `invalid` fault for a value that is no effect, and for entries that have none.
 */
export async function separateEffects(
  filters: readonly SentFilter[],
  annotations: AnnotatedDatasets | undefined,
  entry: string,
): Promise<SeparatedFilters> {
  const own = filters.filter(({ id }) => id === effectFilter || (/^SO:/i.test(id) && effectNamed(id) !== undefined));
  if (own.length === 0 || !(await annotations?.isAny())) return { effects: undefined, others: filters };
  const effects = own.map((filter) => {
    const { id, scope: stated = scope } = filter;
    if (stated !== scope) {
      throw invalid(`scope of filter ${shownValue(id)} must be ${scope}; got ${shownValue(stated)}`);
    }
    if (entry !== scope) throw invalid(`Filter ${shownValue(id)} is for ${scope}, not for ${entry}`);
    return id === effectFilter ? effectOfValue(filter) : effectOfTerm(filter);
  });
  return { effects, others: filters.filter((filter) => !own.includes(filter)) };
}

function effectOfValue({ operator, value }: SentFilter): ReadonlySet<string> {
  if (operator === '=' && value !== undefined) return effectOf(`value of filter "${effectFilter}"`, value);
  throw invalid(`Filter "${effectFilter}" takes the operator = and a value, such as missense_variant`);
}

function effectOfTerm({ id, operator, includeDescendantTerms }: SentFilter): ReadonlySet<string> {
  if (operator !== undefined) {
    throw invalid(`Filter ${shownValue(id)} is an ontology term: it takes neither operator nor value`);
  }
  const term = consequenceTerm(id);
  return term && !includeDescendantTerms ? new Set([term.name]) : effectOf('id of a filter', id);
}

const withoutGuarded =
  'Filters on effects apply to datasets that are not protected from the caller: in the others nothing is looked for';

/**
 * With the effects. A protected dataset answers questions about single alleles: one about many is taken to find everyone, which
 * would say of effects what nobody has stated.
 */
export function withEffects(found: FilterResult, effects: RequestedEffects | undefined): RequestedEntries {
  if (!effects) return found;
  const datasets = found.datasets.filter(({ dataset }) => !dataset.guarded);
  const notes = datasets.length < found.datasets.length ? [...found.notes, withoutGuarded] : found.notes;
  return { ...found, datasets, effects, notes };
}

/** With the filter on effects, if it works. */
export async function withEffectTerms(
  list: FilteringTermList,
  annotations: AnnotatedDatasets | undefined,
): Promise<FilteringTermList> {
  if (!(await annotations?.isAny())) return list;
  const term: FilteringTerm = { type: 'alphanumeric', id: effectFilter, scopes: [scope] };
  return { ...list, filteringTerms: [...list.filteringTerms, term] };
}
