/** Reads filters: `filters` of a query string, and of a body (Beacon v2.1.1, filteringTerms.json). */
import { operators, type SentFilter } from './request.js';
import { invalid, shown, textOf, truthOf } from './values.js';

const longest = 256;
const most = 100;

/** `NCIT:C16576`, `ageAtDiagnosis:>=P65Y` or `assay=WGS`, joined by commas. */
export function filtersOfText(text: string): SentFilter[] {
  const parts = text.split(',').filter((part) => part !== '');
  return limited(parts).map((part) => {
    const found = /^([^<>=!]+?):?(>=|<=|=|<|>|!)(.*)$/.exec(part);
    const [, id = part, operator, value] = found ?? [];
    return filterOf({ id, ...(operator !== undefined && { operator, value }) });
  });
}

export function filtersOfList(name: string, value: unknown): SentFilter[] {
  if (!Array.isArray(value)) throw invalid(`${name} must be a list; got ${shown(value)}`);
  return limited(value).map((one: unknown) => {
    if (typeof one === 'string') return filterOf({ id: one });
    if (typeof one === 'object' && one !== null && !Array.isArray(one)) return filterOf(one as Record<string, unknown>);
    throw invalid(
      `Each of ${name} must be an object with an id; all of them must apply, so that a list is not accepted`,
    );
  });
}

function limited<Item>(filters: readonly Item[]): readonly Item[] {
  if (filters.length > most) throw invalid(`filters must be at most ${most}; got ${filters.length}`);
  return filters;
}

const members = new Set(['id', 'operator', 'value', 'scope', 'includeDescendantTerms', 'similarity']);

function filterOf(sent: Readonly<Record<string, unknown>>): SentFilter {
  const other = Object.keys(sent).find((name) => !members.has(name));
  if (other !== undefined) throw invalid(`A filter has ${[...members].join(', ')}; got ${shown(other)}`);
  const id = textOf('id of a filter', sent.id).trim();
  if (id === '' || id.length > longest) throw invalid(`id of a filter must have 1 to ${longest} characters`);
  const { operator, value, scope, includeDescendantTerms, similarity } = sent;
  if (similarity !== undefined && similarity !== 'exact') {
    throw invalid(`similarity of filter ${shown(id)} must be exact; got ${shown(similarity)}`);
  }
  return {
    id,
    ...comparison(id, operator, value),
    ...(scope !== undefined && { scope: textOf(`scope of filter ${shown(id)}`, scope) }),
    includeDescendantTerms:
      includeDescendantTerms === undefined ||
      truthOf(`includeDescendantTerms of filter ${shown(id)}`, includeDescendantTerms),
  };
}

function comparison(id: string, operator: unknown, value: unknown): Pick<SentFilter, 'operator' | 'value'> {
  if (operator === undefined && value === undefined) return {};
  const known = operators.find((one) => one === (operator ?? '='));
  if (!known) throw invalid(`operator of filter ${shown(id)} must be ${operators.join(' ')}; got ${shown(operator)}`);
  const text = typeof value === 'number' ? String(value) : textOf(`value of filter ${shown(id)}`, value);
  if (text.length > longest) throw invalid(`value of filter ${shown(id)} must have at most ${longest} characters`);
  return { operator: known, value: text };
}
