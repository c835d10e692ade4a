/**
 * What an entry type declares, and the face, endpoints and data of a request that follow from it. Configuration, map, entry
 * types and routes derive from the list of entry types alone, so that they describe what responds.
 */
import { type Caller, Fault, type RequestHead } from '../../../../../core/plugin.js';
import type { ObservationSource } from '../../../ask.js';
import type { AnnotationSource, Dataset } from '../../../contract.js';
import { type DisclosedDataset, disclosedDatasets, type Granularity } from '../../../disclosure.js';
import type { GuardedReads } from '../../../protection/reads.js';
import { addressOfServer, type BeaconServices } from '../../../services.js';
import { type AnnotatedDatasets, annotationsOf } from '../../query/naming.js';
import type { ParameterNames } from './read-request.js';
import type { BeaconRequest } from './request.js';

interface EntryTerm {
  /** A CURIE. */
  id: string;
  label: string;
}

export interface EntrySchema {
  id: string;
  name: string;
  /** Path below `/beacon/v2/schemas`; a fragment distinguishes schemas of one file. */
  file: string;
  version: string;
}

/** That of the specification for entries of a type, which `what` names, in a folder. */
export function defaultSchema(id: string, folder: string, what: string): EntrySchema {
  const name = `Default schema for ${what}`;
  return { id: `ga4gh-beacon-${id}-v2.0.0`, name, file: `${folder}/defaultSchema.json`, version: 'v2.0.0' };
}

/** Which entries an endpoint returns: all, one, or those of one entry of another type. */
export type EntrySelection =
  | { kind: 'all' }
  | { kind: 'entry'; id: string }
  | { kind: 'below'; type: string; id: string };

/** A record, with the id by which its endpoint finds it. */
export type EntryRecord = Readonly<Record<string, unknown>> & { readonly id: string };

export interface EntryRequest {
  request: BeaconRequest;
  place: EntrySelection;
  /** The data; in test mode synthetic data alone. */
  view: DatasetView;
  /** The datasets of the view that are queried. */
  datasets: readonly DisclosedDataset[];
  /** Absolute address of the face. */
  base: string;
  signal: AbortSignal;
}

/** A link of an answer (framework/json/common/beaconCommonComponents.json, `Handover`). */
export interface Handover {
  handoverType: EntryTerm;
  url: string;
  note: string;
}

interface EntryTypeDescription {
  /** As in `entryType` of answers: `genomicVariant`. */
  id: string;
  name: string;
  description: string;
  term: EntryTerm;
  /** First part of its paths: `g_variants`. */
  path: string;
  schema: EntrySchema;
  furtherSchemas?: readonly EntrySchema[];
  /** Ids of the entry types with paths below one entry: `/datasets/{id}/g_variants`. Types that do not exist have none. */
  related: readonly string[];
  /** Request parameters beside those of the framework. Any other is refused. */
  parameters: ParameterNames;
}

/** Entries in result sets, one for each dataset. */
export interface SetEntryType extends EntryTypeDescription {
  collectionOf?: undefined;
  /** The finest granularity for such entries of a dataset; that of the dataset if omitted. */
  levelOf?(dataset: DisclosedDataset): Granularity;
  /** Throws an `invalid` fault for filters that it does not know. */
  find(asked: EntryRequest): Promise<EntryMatches>;
  /** Where the caller gets more of a dataset; whether there are any does not depend on what matches. */
  handovers?(dataset: DisclosedDataset, base: string): readonly Handover[];
}

/** Collections, such as datasets, which are few. */
export interface CollectionEntryType extends EntryTypeDescription {
  collectionOf: readonly string[];
  /** All, whichever the path names, in a stable order. Throws an `invalid` fault for filters that it does not know. */
  list(asked: EntryRequest): Promise<readonly EntryRecord[]>;
}

export type EntryType = SetEntryType | CollectionEntryType;

/** What matches a request. */
export interface EntryMatches {
  /** Whether any dataset has a match; cheaper than counting. */
  exists(): Promise<boolean>;
  /** The number of matches of each dataset with any, by its id. */
  counts(): Promise<ReadonlyMap<string, number>>;
  /** Up to `most` matches of a dataset in a stable order, after those skipped, or from a cursor of an earlier page. */
  page(dataset: string, from: EntryPageStart, most: number): Promise<EntryPage>;
  /** Further members of the answer, such as warnings; computed at the end. */
  info?(): Readonly<Record<string, unknown>> | undefined;
  /** Further members of the result sets of datasets, by id, as far as the caller may know them. */
  setInfo?(datasets: readonly string[]): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>;
  /** The same for answers in which every dataset with a match shows its records: what all datasets have together. */
  recordInfo?(): Readonly<Record<string, unknown>> | undefined;
}

export type EntryPageStart = { skip: number } | { cursor: string };

export interface EntryPage {
  records: readonly EntryRecord[];
  /** Where the next page of the dataset begins; undefined if there are no further matches. */
  next?: string;
  /** The schema of the records, if it is not the default one. */
  schema?: EntrySchema;
}

// What the parts of the framework share.

export const root = '/beacon/v2';

/** As the specification names it in entry types. */
export const specification = 'Beacon v2.1.1';

export interface Face {
  services: BeaconServices;
  entryTypes: readonly EntryType[];
  terms: FindFilteringTerms;
  /** What requests in test mode see: synthetic data, and nothing else. */
  testView: DatasetView;
}

/** The absolute address of the face, as the client reaches it. */
export function addressOfFace({ services }: Pick<Face, 'services'>, { headers }: Pick<RequestHead, 'headers'>): string {
  return addressOfServer(services.baseUrl, headers.host) + root;
}

export function schemaUrl(base: string, { file }: EntrySchema): string {
  return `${base}/schemas/${file}`;
}

// The data that a request sees.

/** What entries read. */
export type EntryReads = Pick<GuardedReads, 'present' | 'found' | 'eachAllele' | 'fractions' | 'sampleFacts' | 'salt'>;

export interface DatasetView {
  /** The datasets that the caller may query, by id. */
  open: readonly DisclosedDataset[];
  /** Those whose name and description alone the caller may know. */
  listed: readonly Dataset[];
  source: EntryReads;
  /** Undefined in test mode. */
  counting: ObservationSource | undefined;
  /** Who annotated the alleles of a dataset. */
  annotated(dataset: string): Promise<readonly AnnotationSource[]>;
  /** Of the datasets that are open; undefined in test mode. */
  annotations?: AnnotatedDatasets;
}

export async function viewOfCaller(services: BeaconServices, caller: Caller): Promise<DatasetView> {
  const { repository, guard, settings, denominators, consequences } = services;
  const all = await services.datasets.current();
  const open = await disclosedDatasets(services, caller, all);
  const ids = new Set(open.map(({ dataset }) => dataset.id));
  const listed = settings.listProtected ? all.filter(({ id }) => !ids.has(id)) : [];
  const annotated: DatasetView['annotated'] = (dataset) => consequences.sources(dataset);
  const annotations = annotationsOf(
    services,
    open.map(({ dataset }) => dataset),
  );
  const counting = { repository, denominators };
  return { open, listed, source: guard.reads(caller), counting, annotated, annotations };
}

// The endpoints of entries, from what the entry types declare.

export interface Endpoint {
  /** Below the root, with `{id}` for the id of an entry: `/datasets/{id}/g_variants`. */
  path: string;
  /** The type of the entries that it returns. */
  returns: EntryType;
  /** With the id of the path, if it has one. */
  place(id: string): EntrySelection;
}

interface EndpointSet {
  of: EntryType;
  all: Endpoint;
  single: Endpoint;
  /** By the name of the lookup in the map. */
  related: ReadonlyMap<string, Endpoint>;
}

export function endpointSets(types: readonly EntryType[]): EndpointSet[] {
  return types.map((of) => {
    const path = `/${of.path}`;
    const related = types.filter(({ id }) => of.related.includes(id));
    return {
      of,
      all: { path, returns: of, place: () => ({ kind: 'all' }) },
      single: { path: `${path}/{id}`, returns: of, place: (id) => ({ kind: 'entry', id }) },
      related: new Map(
        related.map((returns) => [
          `${returns.id}Lookup`,
          { path: `${path}/{id}/${returns.path}`, returns, place: (id) => ({ kind: 'below', type: of.id, id }) },
        ]),
      ),
    };
  });
}

// The filters that work, as `/filtering_terms` lists them (beaconFilteringTermsResults.json).

export interface FilteringTerm {
  type: 'ontology' | 'alphanumeric' | 'custom';
  id: string;
  label?: string;
  /** Ids of the entry types that it filters. */
  scopes: readonly string[];
  /** The values of a closed alphanumeric filter. */
  values?: readonly string[];
}

export interface TermResource {
  id: string;
  name?: string;
  url?: string;
  version?: string;
  nameSpacePrefix?: string;
  iriPrefix?: string;
}

export interface FilteringTermList {
  resources: readonly TermResource[];
  filteringTerms: readonly FilteringTerm[];
}

/** Those that occur in datasets that the view shows, in a stable order: others would reveal hidden data. */
type FindFilteringTerms = (view: DatasetView) => Promise<FilteringTermList>;

// The error for an entry that is not there.

/** The same for an entry that does not exist and for one that the caller may not see. */
export function entryAbsent(type: string): Fault {
  return new Fault('not-found', `There is no such ${type}`);
}
