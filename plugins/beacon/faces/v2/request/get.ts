/** Reads a request from a query string. */
import type { RequestHead } from '../../../../../core/plugin.js';
import type { Granularity } from '../../../disclosure.js';
import { filtersOfText } from './filters.js';
import { type ParameterNames, Parameters, refuseCredentials, unknown } from './parameters.js';
import { type BeaconRequest, emptyRequest, usualLimit } from './request.js';
import { granularityOf, includeOf, invalid, paginationOf, truthOf, wholeOf } from './values.js';

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

/** Names that clients of a published network send to all beacons, and on which no answer depends. */
export const ignored: readonly string[] = ['debugMode'];

export function ignoring(name: string): string {
  return `${name} is ignored: it is no member of Beacon v2`;
}

/** Names of which several values are one list, repeated or joined by commas. */
const lists = new Set(['start', 'end', 'mateStart', 'mateEnd', 'filters', 'datasetIds', 'datasets']);

export interface Accepted {
  framework: readonly FrameworkName[];
  parameters: ParameterNames;
  /** What is returned to a client that does not say. */
  granularity: Granularity;
}

/** Throws an `invalid` fault for a parameter that is not accepted, and for a value that is not valid. */
export function requestOfQuery(query: RequestHead['query'], accepted: Accepted): BeaconRequest {
  const names = Object.keys(query);
  refuseCredentials(names);
  const parameters = new Parameters(accepted.parameters);
  const sent: Partial<Record<FrameworkName, string>> = {};
  const warnings: string[] = [];
  for (const name of names) {
    const value = query[name] ?? '';
    const known = accepted.framework.find((one) => one === name);
    if (known) {
      const text = single(name, value);
      if (text !== '') sent[known] = text;
    } else if (ignored.includes(name)) {
      warnings.push(ignoring(name));
    } else if (parameters.takes(name)) {
      const text = single(name, value);
      parameters.add(name, lists.has(name) && text !== '' ? text.split(',') : text);
    } else throw unknown(name, [...accepted.framework, ...Object.keys(accepted.parameters)]);
  }
  return { ...frameworkOf(sent, accepted), parameters: parameters.all, warnings };
}

function single(name: string, value: string | string[]): string {
  if (typeof value === 'string') return value;
  if (lists.has(name)) return value.join(',');
  throw invalid(`${name} is given ${value.length} times`);
}

function frameworkOf(sent: Partial<Record<FrameworkName, string>>, { granularity }: Accepted): BeaconRequest {
  const { requestedSchema, requestedGranularity, includeResultsetResponses, testMode, filters, currentPage } = sent;
  const skip = sent.skip === undefined ? 0 : wholeOf('skip', sent.skip);
  const limit = sent.limit === undefined ? usualLimit : wholeOf('limit', sent.limit);
  const ids = [sent.datasetIds, sent.datasets].flatMap((text) => text?.split(',') ?? []);
  return {
    ...emptyRequest,
    requestedSchemas: requestedSchema === undefined ? [] : [{ schema: requestedSchema }],
    granularity: requestedGranularity ? granularityOf('requestedGranularity', requestedGranularity) : granularity,
    ...(includeResultsetResponses && { include: includeOf('includeResultsetResponses', includeResultsetResponses) }),
    pagination: paginationOf(skip, limit, currentPage),
    testMode: testMode !== undefined && truthOf('testMode', testMode),
    datasets: [...new Set(ids.filter((id) => id !== ''))],
    filters: filters === undefined ? [] : filtersOfText(filters),
  };
}
