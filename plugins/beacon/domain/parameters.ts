/** The parameters of an allele query as a client sends them (contract, section 2 and 4). */
import { Fault } from '../../../core/plugin.js';

export const textParameters = [
  'alternateBases',
  'assemblyId',
  'includeDatasetResponses',
  'mateName',
  'referenceBases',
  'referenceName',
  'variantType',
] as const;
export type TextParameter = (typeof textParameters)[number];

export const exactCoordinates = ['start', 'end'] as const;
export const rangeCoordinates = ['startMin', 'startMax', 'endMin', 'endMax'] as const;
export type Coordinate = (typeof exactCoordinates)[number] | (typeof rangeCoordinates)[number];
export const coordinates: readonly Coordinate[] = [...exactCoordinates, ...rangeCoordinates];

/** A query string, a form or a JSON object, by parameter name. Others than the known names are passed over. */
export interface Sent {
  parameters: Readonly<Record<string, unknown>>;
  /** In a form (and a query string) every value is text, repeated ones are lists, and lists may be joined by commas. */
  form: boolean;
}

/** Absent, null and empty are all the same: not given. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** The text of a parameter; undefined where not given. Throws an `invalid` fault for anything but one text. */
export function textOf(sent: Sent, name: TextParameter): string | undefined {
  const value = sent.parameters[name];
  if (!isGiven(value)) return undefined;
  if (typeof value === 'string') return value;
  throw new Fault(
    'invalid',
    Array.isArray(value) && sent.form ? `${name} was given twice` : `${name} must be a string`,
  );
}

/** The ids in datasetIds; empty where not given. Throws an `invalid` fault for anything but a list of texts. */
export function datasetIdsOf(sent: Sent): string[] {
  const value = sent.parameters.datasetIds;
  if (!isGiven(value)) return [];
  const list: unknown[] = Array.isArray(value) ? value : sent.form ? [value] : [undefined];
  const ids: string[] = [];
  for (const id of list) {
    if (typeof id !== 'string') throw new Fault('invalid', 'datasetIds must be an array of strings');
    ids.push(...(sent.form ? id.split(',') : [id]));
  }
  return ids.filter(isGiven);
}

/** The allele request as it is echoed: what was given, as it was given, keys in alphabetical order. */
export type Echo = Record<string, string | number | boolean | string[]>;

/**
 * Echoes a query, well-formed or not: only known parameters that were given, with values of the client's own types;
 * `datasetIds` and `includeDatasetResponses` always. Values that no parameter could have are left out.
 */
export function echoOf(sent: Sent): Echo {
  const known: Echo = { datasetIds: [], includeDatasetResponses: 'NONE' };
  for (const name of [...textParameters, ...coordinates]) {
    const value = sent.parameters[name];
    if (!isGiven(value)) continue;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') known[name] = value;
  }
  try {
    known.datasetIds = datasetIdsOf(sent);
  } catch {
    // An error answer echoes what can be told; that datasetIds are malformed is what its message says.
  }
  return Object.fromEntries(Object.entries(known).sort(([left], [right]) => (left < right ? -1 : 1)));
}
