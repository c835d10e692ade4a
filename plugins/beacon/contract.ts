/** beacon@1: datasets of called alleles, and what may be asked of them. */
import { type Contract, defineContract } from '../../core/storage.js';
import type { Allele, Assembly, CalledAllele, CountedAllele } from './domain/allele.js';
import type { AlleleQuery } from './domain/allele-query.js';
import type { Counts } from './domain/tally.js';

export * from './domain/allele.js';
export * from './domain/allele-query.js';
export * from './domain/allowance.js';
export * from './domain/bounds.js';
export { canonical, isPlain, kindOfSequence, trimmed, trimmedStart } from './domain/canonical.js';
export * from './domain/matching.js';
export * from './domain/tally.js';
export * from './genes/contract.js';

export const accessTypes = ['PUBLIC', 'REGISTERED', 'CONTROLLED'] as const;
export type AccessType = (typeof accessTypes)[number];

/** What an operator says of a dataset. */
export interface DatasetDescription {
  /** Letters, digits, `_`, `-`, `.` and `:`; at most 128. */
  id: string;
  name: string;
  assembly: Assembly;
  access: AccessType;
  version: number;
  description?: string;
  externalUrl?: string;
}

/** True if both say the same of a dataset; a dataset's totals and dates do not matter. */
export function sameDescription(one: DatasetDescription, other: DatasetDescription): boolean {
  return (['id', 'name', 'assembly', 'access', 'version', 'description', 'externalUrl'] as const).every(
    (field) => one[field] === other[field],
  );
}

/** A dataset with its totals over all published imports. */
export interface Dataset extends DatasetDescription {
  created: Date;
  updated: Date;
  /** Distinct alleles as stored: both records of a breakend junction count here. */
  alleleCount: number;
  /** Alternate alleles called, over all samples. */
  callCount: number;
  /** Distinct samples, those without any allele included. */
  sampleCount: number;
}

export interface DatasetHit extends Counts {
  dataset: string;
}

export interface Import {
  dataset: string;
  /** The samples that the carriers' indexes point to; no name twice. */
  samples: readonly string[];
  /** Batches in any order of alleles; one allele may come more than once. Read once, with back-pressure. */
  alleles: AsyncIterable<readonly CalledAllele[]>;
  /** Aborting throws the signal's reason and leaves everything as it was. */
  signal?: AbortSignal;
}

/** What an import, or a removal of samples, changed in its dataset's totals. */
export interface Change {
  /** Distinct alleles that appeared or vanished. */
  alleles: number;
  /** Alternate allele calls that appeared or vanished. */
  calls: number;
  /** Samples that appeared or vanished. */
  samples: number;
}

export interface SearchOptions {
  /** Carriers of matching alleles, at most; without end if omitted. */
  limit?: number;
  /** Aborting throws the signal's reason, and the storage stops working on the search. */
  signal?: AbortSignal;
}

export interface PresentOptions extends Pick<SearchOptions, 'signal'> {
  /** Datasets that are named, at most; all if omitted. */
  most?: number;
}

export interface BeaconRepository {
  /** All datasets by id, ascending in code-unit order. */
  datasets(): Promise<Dataset[]>;
  dataset(id: string): Promise<Dataset | undefined>;
  /** Adds a dataset without alleles; a `conflict` fault where the id exists. */
  addDataset(description: DatasetDescription, now: Date): Promise<void>;
  /**
   * Replaces the description and sets updated; false where there is no such dataset. The assembly of a dataset with
   * samples cannot change: a `conflict` fault.
   *
   * With `from`, also false if the description is not this one (`sameDescription`) any more: what was decided by reading it
   * must be decided anew. Of several updates from one description, one takes place.
   */
  updateDataset(description: DatasetDescription, now: Date, from?: DatasetDescription): Promise<boolean>;
  /** The samples of a dataset in code-unit order; empty where there is no such dataset. */
  samples(dataset: string): Promise<string[]>;
  /**
   * Adds alleles and their carriers to a dataset, all seen at once or (after any failure, `kill -9` included) not at
   * all. Other calls go on meanwhile and see the state before. A sample that has an allele already keeps its first
   * number of copies, so that importing the same again changes nothing: `updated` then stays as well. Where one import gives an allele several times,
   * the widest of its ranges are those of all its carriers in this import. Two imports into one dataset may overlap in
   * time; the totals are right after both. A `not-found` fault without the dataset. An import belongs to the dataset that
   * it began with: if that is removed during the import (and even if one of the same id is added again), or becomes one
   * of another assembly, nothing is imported and a `not-found` or `conflict` fault is thrown.
   *
   * Positions are whole numbers from 0 to `farthest`, copies from 1 to `farthest`, also those of an allele over all
   * samples of an import: an import beyond (`callsWithinBounds`) is an `invalid` fault, and leaves everything as it was.
   * Totals are exact up to 2⁵³ − 1.
   */
  importAlleles(request: Import, now: Date): Promise<Change>;
  /**
   * Takes samples out of a dataset, exactly as if they had never been added; seen at once. Names that the dataset does
   * not have are passed over. A `not-found` fault without the dataset.
   */
  removeSamples(dataset: string, samples: readonly string[], now: Date): Promise<Change>;
  /** Takes the dataset and all its alleles out, seen at once; false where there is none. */
  removeDataset(id: string): Promise<boolean>;
  /**
   * The datasets among `datasets` that hold at least one allele for which `matches(allele, query)` holds, with counts,
   * by id ascending, all as of one moment: an import that was published after another is never seen without it, in
   * whichever datasets they are. Datasets of another assembly hold none. An `invalid` fault beyond `limit`, as
   * `Allowance` counts it: the carriers of all matching alleles, one for each allele and sample, however they were
   * imported; reading ends there. A `too-many-requests` fault if the storage has more to do than it can take on.
   */
  search(query: AlleleQuery, datasets: readonly string[], options?: SearchOptions): Promise<DatasetHit[]>;
  /** As search, but only which datasets hit, and no more of them than `most`: may stop at the first allele of each. */
  present(query: AlleleQuery, datasets: readonly string[], options?: PresentOptions): Promise<string[]>;
  /**
   * Up to `limit` alleles of the dataset, for example requests; structural ones where `structural`, else plain. Ranges
   * are one import's.
   */
  examples(dataset: string, structural: boolean, limit: number): Promise<Allele[]>;
  /**
   * Hands every allele of the dataset to `take` once, in the order of `byAllele`, in portions of a few thousand at
   * most, each after the one before was taken. Its ranges are the widest of those that imports of its present carriers
   * gave. All are of one state, whatever happens meanwhile. Throws what `take` throws; a `not-found` fault without the
   * dataset.
   */
  eachAllele(dataset: string, take: (alleles: readonly CountedAllele[]) => Promise<void>): Promise<void>;
  /** The totals counted anew from the alleles; equal to the stored ones unless something is broken. */
  recount(dataset: string): Promise<Counts>;
  /**
   * The datasets, by id ascending, with data that an earlier release of the storage adapter stored in another form than
   * this one does; empty for an adapter without such data. Queries and exports are answered as if it had been rewritten.
   */
  outdated(): Promise<string[]>;
  /**
   * Rewrites one part of such a dataset, and returns how many parts are left: 0 if there is nothing to rewrite. Other calls
   * go on meanwhile. Answers of queries and exports do not change; totals change if the earlier release counted
   * differently. After any failure, `kill -9` included, the part is rewritten or as it was, and the rest can go on.
   * `pause` is called between small pieces of the work: what it throws is thrown, and leaves the part as it was.
   */
  rewrite(dataset: string, pause: () => Promise<void>): Promise<number>;
  /**
   * Frees what interrupted imports and removals left behind: imports not heard of since `idleSince` are given up.
   * Answers of other verbs do not change. Answers how many imports were cleared away.
   */
  sweep(idleSince: Date): Promise<number>;
  /**
   * How many imports and removals have data that take space and that no answer shows: those at work, and those that a
   * sweep will clear away. 0 once nothing is at work and a sweep has ended.
   */
  leftovers(): Promise<number>;
}

export const beacon: Contract<BeaconRepository> = defineContract<BeaconRepository>('beacon@1');
