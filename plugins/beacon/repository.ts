/** The repository of beacon@1, and what adapters bring of it. */
import { isDeepStrictEqual } from 'node:util';
import type { Allele, Assembly, CalledAllele, Contig, CountedAllele, Statement } from './domain/allele.js';
import type { BeaconRewriting } from './domain/allele-form.js';
import type { AlleleQuery } from './domain/allele-query.js';
import { type DatasetDescription, descriptionOf } from './domain/dataset-fields.js';
import type { Site, StoredGenotypes } from './domain/genotypes.js';
import type { Counts, DatasetAlleles, FoundOptions, ListingOptions, NamedCarrier } from './domain/hits.js';
import type { Observation, ObservedQuestion, Requested } from './domain/observation.js';
import type { Sample, SampleChange, Search } from './domain/sample.js';
import type { Around, StructuralQuestion } from './domain/similar.js';

export { type AccessType, accessTypes, type CountingRules, type DatasetDescription } from './domain/dataset-fields.js';

/** Returns whether two descriptions are equal; totals and dates of a dataset do not matter. */
export function sameDescription(one: DatasetDescription, other: DatasetDescription): boolean {
  return isDeepStrictEqual(descriptionOf(one), descriptionOf(other));
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
  /** By which reference its small insertions and deletions are left-aligned (`AlignedForm`); omitted if they are only trimmed. */
  alignedTo?: string;
}

export interface DatasetHit extends Counts {
  dataset: string;
}

export interface Import {
  dataset: string;
  /** The samples that the carriers' indexes refer to; each name once. */
  samples: readonly string[];
  /** Batches of alleles in any order; an allele may come more than once. Read once, with back-pressure. */
  alleles: AsyncIterable<readonly CalledAllele[]>;
  /**
   * What is known of the samples, by name. It replaces what an earlier import said of them, field by field; a sample
   * that is left out stays as it is, or has `unknownFacts`.
   */
  facts?: ReadonlyMap<string, SampleChange>;
  /**
   * What the samples were searched for, in addition to earlier imports (`searchedWith`); for both kinds of alleles if omitted.
   * Asked for once all alleles were read.
   */
  searched?: () => Search;
  /** Given if what the dataset holds of the samples is replaced; the import only adds if omitted. */
  replaces?: ReplaceRules;
  /** The form of the alleles: as of the dataset (`refuseOtherForm`). */
  alignedTo?: string;
  /** Aborting throws the signal's reason and changes nothing. */
  signal?: AbortSignal;
}

/**
 * An import that replaces takes out what its samples carry, and where they were not called, of the kinds of alleles that its
 * `searched` names, in the same step in which its own alleles come in: every answer is from before or after both. What the
 * samples were searched for of these kinds is what this import says alone. Alleles of the other kind, facts and other
 * samples stay; samples that are new are added.
 */
export interface ReplaceRules {
  /** Called before anything becomes visible, perhaps more than once; what it throws refuses the import. */
  judge?(replaced: ReadonlyMap<string, ReplacedAlleles>): void;
  /** Which alleles the import could contain; all if omitted. */
  within?(allele: Allele): boolean;
}

/** What becomes of the alleles that an import takes from a sample that was there already. */
export interface ReplacedAlleles {
  /** Alleles that it carried, of the kinds that are replaced. */
  before: number;
  /** Those of them that it carries again. */
  kept: number;
  /** Those of them that are not `within`. */
  outside: number;
}

/** What an import added; one that replaces also says what it took out, first. Totals change by the difference. */
export interface ImportChange extends Change {
  /** Alleles that no sample carries any more, calls that were taken out, and samples of which some were. */
  replaced?: Change;
}

/** How an import, or a removal of samples, changed the totals of its dataset. */
export interface Change {
  /** Distinct alleles that were added or removed. */
  alleles: number;
  /** Alternate allele calls that were added or removed. */
  calls: number;
  /** Samples that were added or removed. */
  samples: number;
}

export interface SearchOptions {
  /** Largest number of carriers of matching alleles; unlimited if omitted. */
  limit?: number;
  /** Aborting throws the signal's reason, and the storage stops working on the search. */
  signal?: AbortSignal;
}

export interface PresentOptions extends Pick<SearchOptions, 'signal'> {
  /** Largest number of datasets to return; all if omitted. */
  most?: number;
}

export type ObserveOptions = Pick<SearchOptions, 'signal'> & Requested;

/** The complete repository. */
export interface BeaconRepository extends BeaconKept, BeaconReads, BeaconUpkeep {}

/** What an adapter brings: `beaconOf` completes it. Without `moment` it needs all reads. */
export interface BeaconStorage extends BeaconKept, Partial<BeaconReads>, Partial<BeaconUpkeep> {
  /** Runs reads of one moment: an import that was published after another is never seen without it. */
  moment?<Result>(work: (moment: BeaconMoment) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
}

/** What every adapter keeps. */
export interface BeaconKept {
  /** All datasets by id, ascending in code-unit order. */
  datasets(): Promise<Dataset[]>;
  dataset(id: string): Promise<Dataset | undefined>;
  /** Adds a dataset without alleles; throws a `conflict` fault if the id exists. */
  addDataset(description: DatasetDescription, now: Date): Promise<void>;
  /**
   * Replaces the description and sets `updated`; returns false if the dataset does not exist. The assembly of a dataset with
   * samples cannot change: throws a `conflict` fault. With another assembly, alleles are only trimmed again.
   *
   * With `from`, also returns false if this is no longer the description (`sameDescription`): the caller reads it and
   * decides again. Of several updates from one description, one succeeds.
   */
  updateDataset(description: DatasetDescription, now: Date, from?: DatasetDescription): Promise<boolean>;
  /** The samples of a dataset in code-unit order; empty if the dataset does not exist. */
  samples(dataset: string): Promise<string[]>;
  /** The samples of a dataset with what is known of them, in the order of `samples`. */
  sampleFacts(dataset: string): Promise<Sample[]>;
  /**
   * A secret of the dataset, from which pseudonyms of its samples are made: random text of at least 128 bits, another one for
   * each dataset. It stays the same until the dataset is removed; undefined if the dataset does not exist.
   */
  salt(dataset: string): Promise<string | undefined>;
  /**
   * Corrects what is known of samples: `changedFacts`. All of it takes effect at once, and counts of observations follow; sets
   * `updated` if anything changes. Returns the number of samples that changed. Throws a `not-found` fault, and changes
   * nothing, if the dataset does not exist or lacks one of the samples.
   */
  describeSamples(dataset: string, changes: ReadonlyMap<string, SampleChange>, now: Date): Promise<number>;
  /**
   * Adds alleles and their carriers to a dataset; they become visible all at once or, after any failure (`kill -9`
   * included), not at all. Other calls run concurrently and see the state before. A sample that already has an allele keeps
   * its first number of copies, so that importing the same again changes nothing, `updated` included (unless `facts` or
   * `searched` say something new). If an import gives an allele several times, the widest ranges and the largest
   * length that it gives with carriers apply to all its carriers in this import, and of several fractions of a carrier the first; those
   * of carriers that are there already stay as they are, unknown ones included. What it says of uncalled samples is kept beside alleles: it changes what
   * `observe` returns and the `later` of samples, and nothing else. Two imports into one dataset may overlap in time; the totals are right
   * after both. With `replaces` it takes out what it replaces in the same step (`ReplaceRules`), and always sets `updated`
   * and the `later` of samples that were there. Throws a `not-found` fault if the dataset does not exist. An
   * import belongs to the dataset that it began with: if that is removed during the import (even if one with the same id is
   * added again), or changes its assembly or form, nothing is imported and a `not-found` or `conflict` fault is thrown.
   *
   * Positions are whole numbers from 0 to `farthest`, copies from 1 to `farthest`, also those of an allele over all
   * samples of an import: an import beyond (`callsWithinBounds`) throws an `invalid` fault and changes nothing.
   * Totals are exact up to 2⁵³ − 1.
   */
  importAlleles(request: Import, now: Date): Promise<ImportChange>;
  /**
   * Removes samples from a dataset with all that is known of them, exactly as if they had never been added, visible all at
   * once. Names that the dataset does not have are ignored. Throws a `not-found` fault if the dataset does not exist.
   */
  removeSamples(dataset: string, samples: readonly string[], now: Date): Promise<Change>;
  /**
   * The batches of a series of the dataset, in the order in which they were added, with their members as they were given; empty if
   * there are none, or no such dataset. They stay when samples change or are removed, and leave with the dataset.
   */
  batches(dataset: string, series: string): Promise<string[][]>;
  /**
   * Adds batches to a series that has `after` batches. Returns false, and adds nothing, if it has another number of them, or if the
   * dataset does not exist: of several callers that know the same batches, one succeeds.
   */
  addBatches(dataset: string, series: string, after: number, batches: readonly (readonly string[])[]): Promise<boolean>;
  /** Removes a dataset with all its alleles, visible at once; returns false if it does not exist. */
  removeDataset(id: string): Promise<boolean>;
}

/** Reads of alleles, all of which derive from `moment`. */
export interface BeaconReads {
  /**
   * The datasets among `datasets` with at least one allele for which `matches(allele, query)` is true, with counts, by id
   * ascending. An allele has the length that the import of a carrier stated, so that other carriers may not match. All as
   * of one moment: an import that was published after another is never seen without it, whichever
   * datasets they are in. Datasets of another assembly have none. Throws an `invalid` fault beyond `limit`, as `Allowance`
   * counts it: the carriers of all matching alleles, one for each allele and sample, however they were imported; reading
   * ends there. Throws a `too-many-requests` fault if the storage is overloaded.
   */
  search(query: AlleleQuery, datasets: readonly string[], options?: SearchOptions): Promise<DatasetHit[]>;
  /** As search, but returns only the ids, and no more than `most`: may stop at the first allele of each dataset. */
  present(query: AlleleQuery, datasets: readonly string[], options?: PresentOptions): Promise<string[]>;
  /**
   * The alleles that `search` counts: of each dataset with any, by id ascending, every matching allele once, with the calls,
   * number and statements of its matching carriers over all imports. Both records of a junction come. All as of one moment.
   * Throws an `invalid` fault beyond `limit`, as `Allowance` counts alleles; reading ends there. Throws a `too-many-requests`
   * fault if the storage is overloaded.
   */
  found(query: AlleleQuery, datasets: readonly string[], options: FoundOptions): Promise<DatasetAlleles[]>;
  /**
   * How often each question's alleles were seen in each of the datasets: for every question, in their order, an observation of
   * every dataset that exists and has the assembly, by id ascending, those without any included. All as of one moment. An
   * allele, with what the import of a carrier stated of it, answers a question if `isAskedFor` says so, with the `window` of
   * the dataset's `counting`, or `defaultWindow`; `Observed` tells how carriers are counted, and out of how many: `uncalled` samples of such alleles are left out. On MT, calls with an allele fraction below
   * the `minimumHeteroplasmy` of the dataset do not count. With `carriers`, they are named too, each with its most copies.
   * Questions may share observations, which the caller must not change.
   */
  observe(
    assembly: Assembly,
    questions: readonly ObservedQuestion[],
    datasets: readonly string[],
    options?: ObserveOptions,
  ): Promise<readonly (readonly Observation[])[]>;
  /**
   * For each of these alleles of a dataset, in their order, the known allele fractions in percent by the names of its carriers, as of
   * one moment; empty of what the dataset does not have.
   */
  fractions(
    dataset: string,
    alleles: readonly Allele[],
    options?: Pick<SearchOptions, 'signal'>,
  ): Promise<readonly ReadonlyMap<string, number>[]>;
  /**
   * The alleles of a dataset that `queryAround` finds around a structural variant, in the order of `nearest`,
   * with their calls and without ranges; neither junctions nor insertions are requested. Empty if the dataset does not exist. One state, whatever changes
   * meanwhile.
   */
  nearby(
    dataset: string,
    question: StructuralQuestion,
    around: Around & Pick<SearchOptions, 'signal'>,
  ): Promise<CountedAllele[]>;
  /**
   * The genotypes of a dataset's samples at these sites, each of which is given once: what its alleles with these bases
   * (plain ones, in canonical form) say of their carriers, as of one moment. Undefined if the dataset does not exist.
   */
  genotypes(
    dataset: string,
    sites: readonly Site[],
    options?: Pick<SearchOptions, 'signal'>,
  ): Promise<StoredGenotypes | undefined>;
  /**
   * Up to `most` alleles of the dataset for which `isSite` is true, each once, by place (contig, start, bases): those that
   * many samples carry, as far as a bounded amount of reading tells. All of them, if the dataset has one import of at most
   * `most` alleles; none if the dataset does not exist.
   */
  commonSites(dataset: string, most: number): Promise<Site[]>;
  /**
   * Up to `limit` alleles of the dataset, for example requests: structural ones if `structural`, else plain ones. Their
   * ranges are those of one import.
   */
  examples(dataset: string, structural: boolean, limit: number): Promise<Allele[]>;
  /**
   * Passes every allele of the dataset to `take` once, in the order of `byAllele`, in portions of at most a few thousand,
   * each after `take` of the one before has ended, until `take` returns false. Of the first portions only a little more is read
   * than is passed. The ranges of an allele are the widest that imports of its present
   * carriers gave. All portions show one state, whatever changes meanwhile. Throws what `take` throws; throws a `not-found`
   * fault if the dataset does not exist.
   */
  eachAllele(
    dataset: string,
    take: (alleles: readonly CountedAllele[]) => Promise<unknown>,
    options?: ListingOptions,
  ): Promise<void>;
  /**
   * The totals, recounted from the alleles; equal to the stored ones unless something is broken. Throws a `not-found` fault if the
   * dataset does not exist.
   */
  recount(dataset: string): Promise<Counts>;
}

/** For adapters whose data needs it; the others leave all of it out. */
export interface BeaconUpkeep extends BeaconRewriting {
  /** The datasets, by id ascending, for which `compact` has something to merge. */
  fragmented(): Promise<string[]>;
  /**
   * Merges the data of some of a dataset's imports, so that queries read less after many small ones; returns how many merges
   * are left: 0 if there is nothing to merge, or no such dataset. Other calls run concurrently. Results of queries and
   * exports, totals and `updated` do not change, and removing a sample later has the same result: it takes at most a fixed
   * multiple of the work that it takes without merging. After any failure, `kill -9` included, the imports are merged or
   * as they were. `pause` is called between small pieces of the work; if it throws, its error is thrown and nothing is
   * merged.
   */
  compact(dataset: string, pause: () => Promise<void>): Promise<number>;
  /**
   * Frees the space of interrupted imports and removals: imports without a sign of life since `idleSince` are given up, and those of
   * these samples, in whatever dataset. One that is still running then completes as if it had not been, or throws a `conflict` fault
   * and adds nothing. Results of other calls do not change. Returns the number of imports that were freed.
   */
  sweep(idleSince: Date, samples?: readonly string[]): Promise<number>;
  /**
   * The number of imports and removals with data that takes space and that no result shows: running ones, and those that a
   * sweep will free. 0 if none is running and a sweep has ended.
   */
  leftovers(): Promise<number>;
}

/** Carriers of an allele, with what the imports that named them stated of it. */
export interface Portion extends Statement {
  readonly carriers: readonly NamedCarrier[];
  /** Allele fractions of the carriers, in percent; omitted if none is known. */
  readonly fractions?: readonly (readonly [sample: string, percent: number])[];
}

/** An allele of a dataset. */
export interface StoredAllele {
  /** Without ranges and length, which come with the carriers. */
  readonly allele: Allele;
  /** Each sample is in one of them; there is none if the allele has uncalled samples alone. */
  readonly portions: readonly Portion[];
  /** Samples that were not called at the allele; some may carry it by another import. */
  readonly uncalled: readonly string[];
}

export interface StoredAlleles {
  /** At least the alleles that match, and any others. Without this and `starts` all alleles, in the order of `byAllele`. */
  query?: AlleleQuery;
  /** At least the alleles that start at one of these places, as they are stored or without shared bases (`trimmedStart`). */
  starts?: ReadonlyMap<Contig, ReadonlySet<number>>;
  /** Only those after this one in the order of `byAllele`. */
  after?: Allele | undefined;
  signal?: AbortSignal | undefined;
}

/** What is stored, as of one moment. */
export interface BeaconMoment {
  /** The descriptions of those of the datasets that exist, in any order. */
  datasets(ids: readonly string[]): Promise<readonly DatasetDescription[]>;
  /** The samples of a dataset in code-unit order. */
  samples(id: string): Promise<readonly Sample[]>;
  /** Alleles of a dataset, each once; none if it does not exist. */
  alleles(dataset: string, which?: StoredAlleles): AsyncIterable<StoredAllele>;
}
