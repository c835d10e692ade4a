/**
 * What an entry type declares. Configuration, map, entry types and routes follow from the list of entry types alone, so that they
 * describe what answers.
 */
import type { Caller } from '../../../../../core/plugin.js';
import type { Disclosed, Granularity } from '../../../disclosure.js';
import type { ParameterNames } from '../request/parameters.js';
import type { BeaconRequest } from '../request/request.js';
import type { View } from './view.js';

export interface OntologyTerm {
  /** A CURIE. */
  id: string;
  label: string;
}

export interface EntrySchema {
  id: string;
  name: string;
  /** Path below `/beacon/v2/schemas`; a fragment tells schemas of one file apart. */
  file: string;
  version: string;
}

/** Which entries an endpoint returns: all, one, or those of one entry of another type. */
export type Place = { kind: 'all' } | { kind: 'entry'; id: string } | { kind: 'below'; type: string; id: string };

/** A record, with the id by which its endpoint finds it. */
export type EntryRecord = Readonly<Record<string, unknown>> & { readonly id: string };

export interface Asked {
  request: BeaconRequest;
  place: Place;
  caller: Caller;
  /** The data; in test mode synthetic data alone. */
  view: View;
  /** The datasets of the view that are queried. */
  datasets: readonly Disclosed[];
  /** Absolute address of the face. */
  base: string;
  signal: AbortSignal;
}

/** A link of an answer (framework/json/common/beaconCommonComponents.json, `Handover`). */
export interface Handover {
  handoverType: OntologyTerm;
  url: string;
  note: string;
}

interface Described {
  /** As in `entryType` of answers: `genomicVariant`. */
  id: string;
  name: string;
  description: string;
  term: OntologyTerm;
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
export interface SetEntryType extends Described {
  collectionOf?: undefined;
  /** The most that may be told of such entries of a dataset; its granularity if omitted. */
  levelOf?(dataset: Disclosed): Granularity;
  /** Throws an `invalid` fault for filters that it does not know. */
  find(asked: Asked): Promise<Matches>;
  /** Where the caller gets more of a dataset; whether there are any does not depend on what matches. */
  handovers?(dataset: Disclosed, base: string): readonly Handover[];
}

/** Collections, such as datasets, which are few. */
export interface CollectionEntryType extends Described {
  collectionOf: readonly string[];
  /** All that match, in a stable order. Throws an `invalid` fault for filters that it does not know. */
  list(asked: Asked): Promise<readonly EntryRecord[]>;
}

export type EntryType = SetEntryType | CollectionEntryType;

/** What matches a request. */
export interface Matches {
  /** Whether any dataset has a match; cheaper than counting. */
  exists(): Promise<boolean>;
  /** The number of matches of each dataset with any, by its id. */
  counts(): Promise<ReadonlyMap<string, number>>;
  /** Up to `most` matches of a dataset in a stable order, after those skipped, or from a cursor of an earlier page. */
  page(dataset: string, from: PageStart, most: number): Promise<Page>;
  /** What else the answer tells, such as warnings; asked for at the end. */
  info?(): Readonly<Record<string, unknown>> | undefined;
  /** What else the result sets of datasets tell, by id, as far as the caller may know it. */
  setInfo?(datasets: readonly string[]): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>;
  /** The same for answers in which every dataset with a match shows its records: what all datasets have together. */
  recordInfo?(): Readonly<Record<string, unknown>> | undefined;
}

export type PageStart = { skip: number } | { cursor: string };

export interface Page {
  records: readonly EntryRecord[];
  /** Where the next page of the dataset begins; undefined if there are no further matches. */
  next?: string;
  /** The schema of the records, if it is not the default one. */
  schema?: EntrySchema;
}
