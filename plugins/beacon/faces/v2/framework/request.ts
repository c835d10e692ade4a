/**
 * A Beacon v2 request as read from a query string or a JSON body (Beacon v2.1.1, beaconRequestBody.json), and how its single
 * values and filters are read.
 */
import { Fault } from '../../../../../core/plugin.js';
import { type Include, includes } from '../../../ask.js';
import { type Granularity, granularities } from '../../../disclosure.js';

const operators = ['=', '<', '>', '!', '>=', '<='] as const;

/** A filter as sent. Only an alphanumeric one has an operator and a value. */
export interface SentFilter {
  id: string;
  operator?: (typeof operators)[number];
  value?: string;
  /** The entry type that the filter is about; any if omitted. */
  scope?: string;
  /** For an ontology term: whether its descendants count, too. */
  includeDescendantTerms: boolean;
}

export interface SchemaReference {
  entityType?: string;
  schema?: string;
}

export interface Pagination {
  /** Pages to skip. */
  skip: number;
  /** Records on a page, over all result sets. */
  limit: number;
  /** The page to continue with, from `nextPage` of an earlier response; `skip` is then 0. */
  page?: string;
}

/** Request parameters of entries by name, with their values read: text, whole numbers, or lists of whole numbers. */
export type SentParameters = Readonly<Record<string, string | number | readonly number[]>>;

export interface BeaconRequest {
  /** The version that the client states. */
  apiVersion: string;
  requestedSchemas: readonly SchemaReference[];
  granularity: Granularity;
  /** The datasets that get a result set of their own. */
  include: Include;
  pagination: Pagination;
  testMode: boolean;
  /** Ids of the datasets to search; all if empty. */
  datasets: readonly string[];
  filters: readonly SentFilter[];
  parameters: SentParameters;
  /** What the client should mend although the request is answered. */
  warnings: readonly string[];
}

/** The version of the specification that this face speaks. */
export const apiVersion = 'v2.1.1';

/** Records on a page unless the client asks for another number, and the most that it gets. */
export const usualLimit = 10;
export const largestLimit = 1000;

export const emptyRequest: BeaconRequest = {
  apiVersion,
  requestedSchemas: [],
  granularity: 'record',
  include: 'HIT',
  pagination: { skip: 0, limit: usualLimit },
  testMode: false,
  datasets: [],
  filters: [],
  parameters: {},
  warnings: [],
};

// Reads single values of requests. Each function throws an `invalid` fault that names the parameter and what it accepts.

export function invalid(message: string): Fault {
  return new Fault('invalid', message);
}

/** A value in an error message, truncated. */
export function shownValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}

export function textOfValue(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw invalid(`${name} must be text; got ${shownValue(value)}`);
}

/** A whole number, or its decimal digits as text. */
export function wholeOfValue(name: string, value: unknown): number {
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number;
  throw invalid(`${name} must be a whole number from 0; got ${shownValue(value)}`);
}

/** One or two whole numbers: a list, or one of them. */
export function wholesOfValue(name: string, value: unknown): readonly number[] {
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 1 || list.length === 2) return list.map((one) => wholeOfValue(name, one));
  throw invalid(`${name} must be one whole number, or two for a range; got ${shownValue(value)}`);
}

export function truthOfValue(name: string, value: unknown): boolean {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw invalid(`${name} must be true or false; got ${shownValue(value)}`);
}

export function granularityOfValue(name: string, value: unknown): Granularity {
  const known = granularities.find((one) => one === value);
  if (known) return known;
  throw invalid(`${name} must be ${granularities.join(', ')}; got ${shownValue(value)}`);
}

export function includeOfValue(name: string, value: unknown): Include {
  const known = includes.find((one) => one === value);
  if (known) return known;
  throw invalid(`${name} must be ${includes.join(', ')}; got ${shownValue(value)}`);
}

/** The page as served: at most `largestLimit` records, which a limit of 0 asks for, too. */
export function paginationOfRequest(skip: number, limit: number, page: string | undefined): Pagination {
  if (page !== undefined && skip > 0) throw invalid('skip and currentPage exclude each other');
  const served = limit === 0 ? largestLimit : Math.min(limit, largestLimit);
  return { skip: limit === 0 ? 0 : skip, limit: served, ...(page !== undefined && { page }) };
}

// Reads filters: `filters` of a query string, and of a body (Beacon v2.1.1, filteringTerms.json). The specification joins all
// of them by AND, and negates alphanumeric ones alone, by the operator !.

const longest = 256;
const most = 100;

/** `NCIT:C16576`, `ageAtDiagnosis:>=P65Y` or `assay=WGS`, joined by commas. */
export function filtersOfText(text: string): SentFilter[] {
  const parts = text.split(',').filter((part) => part !== '');
  return limited(parts).map((part) => {
    if (part.startsWith('!')) throw negated(part.slice(1));
    const found = /^([^<>=!]+?):?(>=|<=|=|<|>|!)(.*)$/.exec(part);
    const [, id = part, operator, value] = found ?? [];
    return sentFilterOf({ id, ...(operator !== undefined && { operator, value }) });
  });
}

export function filtersOfList(name: string, value: unknown): SentFilter[] {
  if (!Array.isArray(value)) throw invalid(`${name} must be a list; got ${shownValue(value)}`);
  return limited(value).map((one: unknown) => {
    if (typeof one === 'string') return sentFilterOf({ id: one });
    if (typeof one === 'object' && one !== null && !Array.isArray(one))
      return sentFilterOf(one as Record<string, unknown>);
    throw invalid(
      `Each of ${name} must be an object with an id; all of them must apply, so that a list of alternatives (OR) is not ` +
        'accepted: send a request for each',
    );
  });
}

/** By which other beacons choose how filters are joined. */
const filterLogics = ['filterLogic', 'filtersLogic'];

/**
 * Whether clients of a published network send this to all beacons without that any answer depends on it. Throws an `invalid`
 * fault if one would.
 */
export function isIgnored(name: string, value: unknown): boolean {
  if (!filterLogics.includes(name)) return name === 'debugMode';
  if (value === '' || (typeof value === 'string' && value.toUpperCase() === 'AND')) return true;
  throw invalid(
    `${name} must be AND, as Beacon v2.1 joins filters; got ${shownValue(value)}. For alternatives (OR) send a request for each`,
  );
}

/** That no statement of a term is known of a person does not mean that it does not hold. */
function negated(id: unknown): Fault {
  return invalid(
    `Filter ${shownValue(id)} cannot be negated: Beacon v2.1 has NOT for alphanumeric filters alone, as operator ! with a ` +
      'value, such as sex!male',
  );
}

function limited<Item>(filters: readonly Item[]): readonly Item[] {
  if (filters.length > most) throw invalid(`filters must be at most ${most}; got ${filters.length}`);
  return filters;
}

const members = new Set(['id', 'operator', 'value', 'scope', 'includeDescendantTerms', 'similarity']);

function sentFilterOf(sent: Readonly<Record<string, unknown>>): SentFilter {
  if (sent.excluded !== undefined && sent.excluded !== false) throw negated(sent.id);
  const other = Object.keys(sent).find((name) => !members.has(name) && name !== 'excluded');
  if (other !== undefined) throw invalid(`A filter has ${[...members].join(', ')}; got ${shownValue(other)}`);
  const id = textOfValue('id of a filter', sent.id).trim();
  if (id === '' || id.length > longest) throw invalid(`id of a filter must have 1 to ${longest} characters`);
  const { operator, value, scope, includeDescendantTerms, similarity } = sent;
  if (similarity !== undefined && similarity !== 'exact') {
    throw invalid(`similarity of filter ${shownValue(id)} must be exact; got ${shownValue(similarity)}`);
  }
  return {
    id,
    ...readComparison(id, operator, value),
    ...(scope !== undefined && { scope: textOfValue(`scope of filter ${shownValue(id)}`, scope) }),
    includeDescendantTerms:
      includeDescendantTerms === undefined ||
      truthOfValue(`includeDescendantTerms of filter ${shownValue(id)}`, includeDescendantTerms),
  };
}

function readComparison(id: string, operator: unknown, value: unknown): Pick<SentFilter, 'operator' | 'value'> {
  if (operator === undefined && value === undefined) return {};
  const known = operators.find((one) => one === (operator ?? '='));
  if (!known)
    throw invalid(`operator of filter ${shownValue(id)} must be ${operators.join(' ')}; got ${shownValue(operator)}`);
  if (known === '!' && value === undefined) throw negated(id);
  const text = typeof value === 'number' ? String(value) : textOfValue(`value of filter ${shownValue(id)}`, value);
  if (text.length > longest) throw invalid(`value of filter ${shownValue(id)} must have at most ${longest} characters`);
  return { operator: known, value: text };
}
