/** A Beacon v2 request as read from a query string or a JSON body (Beacon v2.1.1, beaconRequestBody.json). */
import type { Granularity } from '../../../disclosure.js';

export const includes = ['ALL', 'HIT', 'MISS', 'NONE'] as const;
/** The datasets that get a result set of their own. */
export type Include = (typeof includes)[number];

export const operators = ['=', '<', '>', '!', '>=', '<='] as const;

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
