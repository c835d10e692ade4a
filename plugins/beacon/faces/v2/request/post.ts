/**
 * Reads a request from a JSON body. Clients differ in where they write parameters of variants and the ids of datasets; every
 * place in use is read, and two places that contradict each other are refused.
 */
import { filtersOfList } from './filters.js';
import { type Accepted, ignored, ignoring } from './get.js';
import { Parameters, unknown } from './parameters.js';
import { type BeaconRequest, emptyRequest, type SchemaReference, usualLimit } from './request.js';
import { granularityOf, includeOf, invalid, paginationOf, shown, textOf, truthOf, wholeOf } from './values.js';

type Members = Readonly<Record<string, unknown>>;

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
export function requestOfBody(body: unknown, accepted: Accepted): BeaconRequest {
  const { meta, query, ...beside } = membersOf('The body', body ?? {});
  const inner = membersOf('query', query ?? {});
  const own = ['$schema', 'schema:', ...ignored, ...queryMembers];
  for (const name of Object.keys(beside)) if (!own.includes(name)) throw unknown(name, ['meta', 'query']);
  for (const name of Object.keys(inner)) if (!own.includes(name)) throw unknown(name, queryMembers);
  const member = (name: (typeof queryMembers)[number]) => either(name, inner[name], beside[name]);
  const [granularity, include, testMode, filters, page] = (
    ['requestedGranularity', 'includeResultsetResponses', 'testMode', 'filters', 'pagination'] as const
  ).map(member);
  return {
    ...emptyRequest,
    ...metaOf(membersOf('meta', meta ?? {})),
    granularity: granularity === undefined ? accepted.granularity : granularityOf('requestedGranularity', granularity),
    ...(include !== undefined && { include: includeOf('includeResultsetResponses', include) }),
    ...(page !== undefined && { pagination: pageOf(membersOf('pagination', page)) }),
    testMode: testMode !== undefined && truthOf('testMode', testMode),
    filters: filters === undefined ? [] : filtersOfList('filters', filters),
    ...parametersOf(membersOf('requestParameters', member('requestParameters') ?? {}), accepted),
    warnings: [
      ...beyondMeta(meta),
      ...(body !== undefined && meta === undefined ? [missingMeta] : []),
      ...ignored.filter((name) => Object.hasOwn(beside, name) || Object.hasOwn(inner, name)).map(ignoring),
    ],
  };
}

/** Members of `meta` on which no answer depends; a few of them, since a body may have thousands. */
function beyondMeta(meta: unknown): string[] {
  if (typeof meta !== 'object' || meta === null) return [];
  const { $schema: _, apiVersion: __, requestedSchemas = [], ...others } = meta as Members;
  const schemas = Array.isArray(requestedSchemas) ? requestedSchemas : [];
  const inSchemas = schemas
    .flatMap((one: unknown) => (typeof one === 'object' && one !== null ? Object.keys(one) : []))
    .filter((name) => name !== 'entityType' && name !== 'schema');
  const names = [...new Set([...Object.keys(others), ...inSchemas])];
  return names.slice(0, mostNamed).map((name) => `${shown(name)} in meta is ignored: it is no member of Beacon v2`);
}

const mostNamed = 5;

const missingMeta = `meta is missing, which Beacon v2 requires in a body; the request is answered as one of ${emptyRequest.apiVersion}`;

function membersOf(name: string, value: unknown): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw invalid(`${name} must be a JSON object; got ${shown(value)}`);
}

function either(name: string, one: unknown, other: unknown): unknown {
  if (one === undefined || other === undefined) return one ?? other;
  if (JSON.stringify(one) === JSON.stringify(other)) return one;
  throw invalid(`${name} is given twice, in query and beside it, with different values`);
}

const longestVersion = 64;

function metaOf({ apiVersion, requestedSchemas }: Members): Pick<BeaconRequest, 'apiVersion' | 'requestedSchemas'> {
  const version = apiVersion === undefined ? emptyRequest.apiVersion : textOf('meta.apiVersion', apiVersion);
  if (version.length > longestVersion) throw invalid(`meta.apiVersion must have at most ${longestVersion} characters`);
  if (requestedSchemas === undefined) return { apiVersion: version, requestedSchemas: [] };
  if (!Array.isArray(requestedSchemas)) throw invalid('meta.requestedSchemas must be a list');
  return { apiVersion: version, requestedSchemas: requestedSchemas.map(schemaOf) };
}

function schemaOf(sent: unknown): SchemaReference {
  const { entityType, schema } = membersOf('Each of meta.requestedSchemas', sent);
  return {
    ...(entityType !== undefined && { entityType: textOf('entityType', entityType) }),
    ...(schema !== undefined && { schema: textOf('schema', schema) }),
  };
}

function pageOf({ skip, limit, currentPage, nextPage: _, previousPage: __, ...others }: Members) {
  const [other] = Object.keys(others);
  if (other !== undefined) throw unknown(`pagination.${other}`, ['skip', 'limit', 'currentPage']);
  return paginationOf(
    skip === undefined ? 0 : wholeOf('skip', skip),
    limit === undefined ? usualLimit : wholeOf('limit', limit),
    currentPage === undefined || currentPage === '' ? undefined : textOf('currentPage', currentPage),
  );
}

function parametersOf(sent: Members, accepted: Accepted): Pick<BeaconRequest, 'parameters' | 'datasets'> {
  const { $schema: _, g_variant: nested, datasets, datasetIds, ...flat } = sent;
  const parameters = new Parameters(accepted.parameters);
  for (const [name, value] of Object.entries(membersOf('g_variant', nested ?? {}))) parameters.add(name, value);
  for (const [name, value] of Object.entries(flat)) parameters.add(name, value);
  const inner =
    datasets === undefined || Array.isArray(datasets)
      ? datasets
      : onlyIds(membersOf('requestParameters.datasets', datasets));
  return { parameters: parameters.all, datasets: idsOf(either('datasetIds', inner, datasetIds)) };
}

function onlyIds({ datasetIds, ...others }: Members): unknown {
  const [other] = Object.keys(others);
  if (other !== undefined) throw unknown(`datasets.${other}`, ['datasetIds']);
  return datasetIds;
}

const mostDatasets = 1000;

function idsOf(value: unknown): string[] {
  if (value === undefined) return [];
  const list = Array.isArray(value) ? value : [value];
  if (list.length > mostDatasets) throw invalid(`datasetIds must name at most ${mostDatasets} datasets`);
  return [...new Set(list.map((id) => textOf('datasetIds', id)).filter((id) => id !== ''))];
}
