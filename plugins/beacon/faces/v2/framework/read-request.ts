/**
 * Reads a Beacon v2 request from a query string or a JSON body. Clients differ in where they write parameters of variants and
 * the ids of datasets; each such place is read, and two that contradict each other are refused.
 */
import { z } from 'zod';
import type { BodyDeclaration, RequestHead } from '../../../../../core/plugin.js';
import type { Granularity } from '../../../disclosure.js';
import {
  type BeaconRequest,
  emptyRequest,
  filtersOfList,
  filtersOfText,
  granularityOfValue,
  includeOfValue,
  invalid,
  isIgnored,
  paginationOfRequest,
  type SchemaReference,
  type SentParameters,
  shownValue,
  textOfValue,
  truthOfValue,
  usualLimit,
  wholeOfValue,
  wholesOfValue,
} from './request.js';

/** Largest body in bytes; bodies of requests have a few hundred. */
const largestBody = 64 * 1024;

const parameter = z.unknown().optional().meta({ type: 'string' });
/** By their names: many endpoints accept the same parameters. */
const declared = new Map<string, ReturnType<typeof declareBody>>();

/** The readers check values, since errors name all that is accepted. */
export function queryDeclaration({ framework, parameters }: AcceptedParameters) {
  const names = [...framework, ...Object.keys(parameters)];
  const key = names.join();
  const known = declared.get(key) ?? declareBody(names);
  declared.set(key, known);
  return known;
}

function declareBody(names: readonly string[]) {
  return z.looseObject(Object.fromEntries(names.map((name) => [name, parameter])));
}

export const bodyDeclaration: BodyDeclaration<unknown> = {
  types: ['application/json'],
  limit: largestBody,
  schema: z
    .unknown()
    .optional()
    .meta({ type: 'object', description: 'A request as in beaconRequestBody.json of Beacon v2.1.1; may be empty.' }),
};

/** Reads a GET or a POST. */
export function beaconRequestOf(
  head: Pick<RequestHead, 'method' | 'query'> & { body: unknown },
  accepted: AcceptedParameters,
): BeaconRequest {
  if (head.method !== 'POST') return requestOfQuery(head.query, accepted);
  const names = Object.keys(head.query);
  refuseCredentials(names);
  if (names.length > 0) throw invalid('A POST has its parameters in the body, not in the address');
  return requestOfBody(head.body, accepted);
}

// Reads a request from a query string.

/** Parameters of the framework that a query string may have. */
export const framework = [
  'requestedSchema',
  'requestedGranularity',
  'includeResultsetResponses',
  'skip',
  'limit',
  'currentPage',
  'testMode',
  'datasetIds',
  'datasets',
  'filters',
] as const;
type FrameworkName = (typeof framework)[number];

function ignoring(name: string): string {
  return `${name} is ignored: it is no member of Beacon v2`;
}

/** Names of which several values are one list, repeated or joined by commas. */
const lists = new Set(['start', 'end', 'mateStart', 'mateEnd', 'filters', 'datasetIds', 'datasets']);

interface AcceptedParameters {
  framework: readonly FrameworkName[];
  parameters: ParameterNames;
  /** What is returned to a client that does not say. */
  granularity: Granularity;
}

/** Throws an `invalid` fault for a parameter that is not accepted, and for a value that is not valid. */
function requestOfQuery(query: RequestHead['query'], accepted: AcceptedParameters): BeaconRequest {
  const names = Object.keys(query);
  refuseCredentials(names);
  const parameters = new Parameters(accepted.parameters);
  const sent: Partial<Record<FrameworkName, string>> = {};
  const warnings: string[] = [];
  for (const name of names) {
    const value = query[name] ?? '';
    const known = accepted.framework.find((one) => one === name);
    if (known) {
      const text = singleValue(name, value);
      if (text !== '') sent[known] = text;
    } else if (isIgnored(name, value)) {
      warnings.push(ignoring(name));
    } else if (parameters.takes(name)) {
      const text = singleValue(name, value);
      parameters.add(name, lists.has(name) && text !== '' ? text.split(',') : text);
    } else throw unknown(name, [...accepted.framework, ...Object.keys(accepted.parameters)]);
  }
  return { ...frameworkOf(sent, accepted), parameters: parameters.all, warnings };
}

function singleValue(name: string, value: string | string[]): string {
  if (typeof value === 'string') return value;
  if (lists.has(name)) return value.join(',');
  throw invalid(`${name} is given ${value.length} times`);
}

function frameworkOf(sent: Partial<Record<FrameworkName, string>>, { granularity }: AcceptedParameters): BeaconRequest {
  const { requestedSchema, requestedGranularity, includeResultsetResponses, testMode, filters, currentPage } = sent;
  const skip = sent.skip === undefined ? 0 : wholeOfValue('skip', sent.skip);
  const limit = sent.limit === undefined ? usualLimit : wholeOfValue('limit', sent.limit);
  const ids = [sent.datasetIds, sent.datasets].flatMap((text) => text?.split(',') ?? []);
  return {
    ...emptyRequest,
    requestedSchemas: requestedSchema === undefined ? [] : [{ schema: requestedSchema }],
    granularity: requestedGranularity ? granularityOfValue('requestedGranularity', requestedGranularity) : granularity,
    ...(includeResultsetResponses && {
      include: includeOfValue('includeResultsetResponses', includeResultsetResponses),
    }),
    pagination: paginationOfRequest(skip, limit, currentPage),
    testMode: testMode !== undefined && truthOfValue('testMode', testMode),
    datasets: [...new Set(ids.filter((id) => id !== ''))],
    filters: filters === undefined ? [] : filtersOfText(filters),
  };
}

// Reads a request from a JSON body.

type JsonMembers = Readonly<Record<string, unknown>>;

/** Members of `query`; the specification's own examples have some of them beside `query`. */
const queryMembers = [
  'includeResultsetResponses',
  'pagination',
  'requestedGranularity',
  'testMode',
  'filters',
  'requestParameters',
] as const;

/** Bodies that are absent or empty ask for everything. */
function requestOfBody(body: unknown, accepted: AcceptedParameters): BeaconRequest {
  const { meta, query, ...beside } = membersOf('The body', body ?? {});
  const inner = membersOf('query', query ?? {});
  const own = ['$schema', 'schema:', ...queryMembers];
  const ignored = new Set<string>();
  const checkNames = (members: JsonMembers, known: readonly string[]) => {
    for (const [name, value] of Object.entries(members)) {
      if (isIgnored(name, value)) ignored.add(name);
      else if (!own.includes(name)) throw unknown(name, known);
    }
  };
  checkNames(beside, ['meta', 'query']);
  checkNames(inner, queryMembers);
  const member = (name: (typeof queryMembers)[number]) => either(name, inner[name], beside[name]);
  const [granularity, include, testMode, filters, page] = (
    ['requestedGranularity', 'includeResultsetResponses', 'testMode', 'filters', 'pagination'] as const
  ).map(member);
  return {
    ...emptyRequest,
    ...metaOf(membersOf('meta', meta ?? {})),
    granularity:
      granularity === undefined ? accepted.granularity : granularityOfValue('requestedGranularity', granularity),
    ...(include !== undefined && { include: includeOfValue('includeResultsetResponses', include) }),
    ...(page !== undefined && { pagination: paginationOfBody(membersOf('pagination', page)) }),
    testMode: testMode !== undefined && truthOfValue('testMode', testMode),
    filters: filters === undefined ? [] : filtersOfList('filters', filters),
    ...parametersOf(membersOf('requestParameters', member('requestParameters') ?? {}), accepted),
    warnings: [
      ...beyondMeta(meta),
      ...(body !== undefined && meta === undefined ? [missingMeta] : []),
      ...[...ignored].map(ignoring),
    ],
  };
}

/** Members of `meta` on which no answer depends; a few of them, since a body may have thousands. */
function beyondMeta(meta: unknown): string[] {
  if (typeof meta !== 'object' || meta === null) return [];
  const { $schema: _, apiVersion: __, requestedSchemas = [], ...others } = meta as JsonMembers;
  const schemas = Array.isArray(requestedSchemas) ? requestedSchemas : [];
  const inSchemas = schemas
    .flatMap((one: unknown) => (typeof one === 'object' && one !== null ? Object.keys(one) : []))
    .filter((name) => name !== 'entityType' && name !== 'schema');
  const names = [...new Set([...Object.keys(others), ...inSchemas])];
  return names
    .slice(0, mostNamed)
    .map((name) => `${shownValue(name)} in meta is ignored: it is no member of Beacon v2`);
}

const mostNamed = 5;

const missingMeta = `meta is missing, which Beacon v2 requires in a body; the request is answered as one of ${emptyRequest.apiVersion}`;

function membersOf(name: string, value: unknown): JsonMembers {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonMembers;
  throw invalid(`${name} must be a JSON object; got ${shownValue(value)}`);
}

function either(name: string, one: unknown, other: unknown): unknown {
  if (one === undefined || other === undefined) return one ?? other;
  if (JSON.stringify(one) === JSON.stringify(other)) return one;
  throw invalid(`${name} is given twice, in query and beside it, with different values`);
}

const longestVersion = 64;

function metaOf({ apiVersion, requestedSchemas }: JsonMembers): Pick<BeaconRequest, 'apiVersion' | 'requestedSchemas'> {
  const version = apiVersion === undefined ? emptyRequest.apiVersion : textOfValue('meta.apiVersion', apiVersion);
  if (version.length > longestVersion) throw invalid(`meta.apiVersion must have at most ${longestVersion} characters`);
  if (requestedSchemas === undefined) return { apiVersion: version, requestedSchemas: [] };
  if (!Array.isArray(requestedSchemas)) throw invalid('meta.requestedSchemas must be a list');
  return { apiVersion: version, requestedSchemas: requestedSchemas.map(schemaOfBody) };
}

function schemaOfBody(sent: unknown): SchemaReference {
  const { entityType, schema } = membersOf('Each of meta.requestedSchemas', sent);
  return {
    ...(entityType !== undefined && { entityType: textOfValue('entityType', entityType) }),
    ...(schema !== undefined && { schema: textOfValue('schema', schema) }),
  };
}

function paginationOfBody({ skip, limit, currentPage, nextPage: _, previousPage: __, ...others }: JsonMembers) {
  const [other] = Object.keys(others);
  if (other !== undefined) throw unknown(`pagination.${other}`, ['skip', 'limit', 'currentPage']);
  return paginationOfRequest(
    skip === undefined ? 0 : wholeOfValue('skip', skip),
    limit === undefined ? usualLimit : wholeOfValue('limit', limit),
    currentPage === undefined || currentPage === '' ? undefined : textOfValue('currentPage', currentPage),
  );
}

function parametersOf(sent: JsonMembers, accepted: AcceptedParameters): Pick<BeaconRequest, 'parameters' | 'datasets'> {
  const { $schema: _, g_variant: nested, datasets, datasetIds, ...flat } = sent;
  const parameters = new Parameters(accepted.parameters);
  for (const [name, value] of Object.entries(membersOf('g_variant', nested ?? {}))) parameters.add(name, value);
  for (const [name, value] of Object.entries(flat)) parameters.add(name, value);
  const inner =
    datasets === undefined || Array.isArray(datasets)
      ? datasets
      : onlyIds(membersOf('requestParameters.datasets', datasets));
  return { parameters: parameters.all, datasets: idsInBody(either('datasetIds', inner, datasetIds)) };
}

function onlyIds({ datasetIds, ...others }: JsonMembers): unknown {
  const [other] = Object.keys(others);
  if (other !== undefined) throw unknown(`datasets.${other}`, ['datasetIds']);
  return datasetIds;
}

const mostDatasets = 1000;

function idsInBody(value: unknown): string[] {
  if (value === undefined) return [];
  const list = Array.isArray(value) ? value : [value];
  if (list.length > mostDatasets) throw invalid(`datasetIds must name at most ${mostDatasets} datasets`);
  return [...new Set(list.map((id) => textOfValue('datasetIds', id)).filter((id) => id !== ''))];
}

// Names of request parameters, and their values under one name.

const readers = { text: textOfValue, whole: wholeOfValue, wholes: wholesOfValue };

/** The parameters that an entry type takes, by name, each with the reader of its value. */
export type ParameterNames = Readonly<Record<string, keyof typeof readers>>;

/** Other spellings of parameters: the paths of the specification's OpenAPI files differ from its schemas. */
const synonyms: Readonly<Record<string, string>> = { geneid: 'geneId', allele: 'genomicAlleleShortForm' };

/** Parameters for which an empty text is a value: no bases. */
const mayBeEmpty = new Set(['referenceBases', 'alternateBases']);

/** Collects parameters from one or several places of a request; throws an `invalid` fault if two of them differ. */
class Parameters {
  readonly #names: ParameterNames;
  readonly #found = new Map<string, { value: SentParameters[string]; sent: string }>();
  #empty: string | undefined;

  constructor(names: ParameterNames) {
    this.#names = names;
  }

  takes(sent: string): boolean {
    return Object.hasOwn(this.#names, canonicalName(sent));
  }

  add(sent: string, value: unknown): void {
    const name = canonicalName(sent);
    const kind = Object.hasOwn(this.#names, name) ? this.#names[name] : undefined;
    if (!kind) throw unknown(sent, Object.keys(this.#names));
    if (value === '' && !mayBeEmpty.has(name)) {
      this.#empty ??= sent;
      return;
    }
    const read = readers[kind](sent, value);
    const known = this.#found.get(name);
    if (known && String(known.value) !== String(read)) {
      throw invalid(`${sent} is ${shownValue(read)}, and ${known.sent} ${shownValue(known.value)}: give one of them`);
    }
    this.#found.set(name, { value: read, sent });
  }

  /** Forms send empty values of what was not filled in. With nothing filled in, all variants would be found: a wrong yes. */
  get all(): SentParameters {
    if (this.#empty !== undefined && this.#found.size === 0) {
      throw invalid(`${this.#empty} is empty: give it a value, or leave it out`);
    }
    return Object.fromEntries([...this.#found].map(([name, { value }]) => [name, value]));
  }
}

function canonicalName(sent: string): string {
  return Object.hasOwn(synonyms, sent) ? (synonyms[sent] as string) : sent;
}

/** The fault for a parameter that is not taken: ignoring it would answer a wider question than was asked. */
function unknown(name: string, known: readonly string[]) {
  const similar = known.find((one) => one.toLowerCase() === name.toLowerCase());
  const names = [...known].sort().join(', ');
  const hint = similar ? `Did you mean ${similar}?` : `Accepted are ${names || 'none'}`;
  return invalid(`Unknown parameter ${shownValue(name)}. ${hint}`);
}

/** Refuses credentials in a query string: servers and proxies log addresses. */
function refuseCredentials(names: readonly string[]): void {
  if (!names.includes('access_token')) return;
  throw invalid(
    'access_token is not taken from the address, which is logged: send the token in the header Authorization',
  );
}
