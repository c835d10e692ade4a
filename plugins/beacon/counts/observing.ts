/**
 * Counts of alleles in the datasets of which a caller may see them: with their own right, or because a tenant shares them. A
 * shared dataset is for the members of other tenants as if it had only the samples that are released to them.
 */
import { hash } from 'node:crypto';
import {
  type Caller,
  type Candidate,
  Fault,
  type Policy,
  type Release,
  type Share,
  settled,
  type Tenants,
} from '../../../core/plugin.js';
import type { CallabilityService } from '../../services/coverage.js';
import {
  type Assembly,
  type BeaconRepository,
  type Dataset,
  farthest,
  type Observation,
  Observed,
  type ObservedQuestion,
  type ObserveOptions,
  type Sample,
  type Searched,
} from '../contract.js';
import { type ProtectionSettings, protectionOfDataset } from '../protection/profiles.js';
import { casesRight, type DatasetList, observeRight, sharedRight } from '../rights.js';
import type { DatasetDenominator } from './denominator.js';
import type { DenominatorsOf, FindCallability } from './denominators.js';

/** A dataset of which the caller may see counts. */
export interface Observable {
  dataset: Dataset;
  /** Whether the caller may see in which cases an allele was seen. */
  withCases: boolean;
  /** If another tenant shares it: only counts over the samples that count for others. */
  shared: SharedBeaconDataset | undefined;
}

/** What was seen of one allele in one dataset. */
export interface DatasetObservation extends Observable {
  observation: Observation;
  denominator: DatasetDenominator;
}

interface CountOptions {
  /** Reads from which on a base counts as covered; the threshold of each dataset if omitted. */
  threshold?: number | undefined;
  /** Whether to count with details, and with cases where the caller may see them. */
  detailed?: boolean;
  signal: AbortSignal;
}

export interface DatasetObserver {
  /** All of them, by id. */
  all(caller: Caller): Promise<Observable[]>;
  /**
   * Those of the assembly: those that are named, else all. Throws an `unprocessable` fault if one of those named is of another
   * assembly, does not exist, or may not be observed, which makes no difference.
   */
  named(caller: Caller, assembly: Assembly, ids: readonly string[]): Promise<Observable[]>;
  /**
   * For each question, in their order, its counts in each of the datasets that still exists, by id. A shared dataset is left out
   * of a question for which fewer of its samples could carry the allele than it needs.
   */
  count(
    datasets: readonly Observable[],
    assembly: Assembly,
    questions: readonly ObservedQuestion[],
    options: CountOptions,
  ): Promise<DatasetObservation[][]>;
}

interface ObservingTools extends SharingTools {
  datasets: Pick<DatasetList, 'current'>;
  policy: Policy;
  denominators: DenominatorsOf;
}

/** The fault for a dataset that is named and does not exist, or may not be observed. */
export function notObservable(id: string): Fault {
  return new Fault('unprocessable', `There is no dataset "${id}" that this token may observe`);
}

export function createObserving(tools: ObservingTools): DatasetObserver {
  const { repository, policy, denominators } = tools;

  async function all(caller: Caller): Promise<Observable[]> {
    const datasets = await tools.datasets.current();
    const own = new Set(await policy.among(caller, observeRight, datasets));
    const others = datasets.filter((dataset) => !own.has(dataset));
    const shared = new Map(
      (await sharedDatasets(tools, caller, others)).map((one): [Dataset, SharedBeaconDataset] => [one.dataset, one]),
    );
    const withCases = new Set(await policy.among(caller, casesRight, [...own]));
    return datasets
      .filter((dataset) => own.has(dataset) || shared.has(dataset))
      .map((dataset) => ({ dataset, withCases: withCases.has(dataset), shared: shared.get(dataset) }));
  }

  return {
    all,
    async named(caller, assembly, ids) {
      const open = await all(caller);
      const byId = new Map(open.map((one) => [one.dataset.id, one]));
      for (const id of ids) {
        const found = byId.get(id);
        if (!found) throw notObservable(id);
        if (found.dataset.assembly !== assembly) {
          throw new Fault(
            'unprocessable',
            `Dataset "${id}" uses ${found.dataset.assembly}, and the request ${assembly}`,
          );
        }
      }
      const named = new Set(ids);
      return open.filter(({ dataset }) => dataset.assembly === assembly && (named.size === 0 || named.has(dataset.id)));
    },

    async count(datasets, assembly, questions, { threshold, detailed = false, signal }) {
      const own = datasets.filter(({ shared }) => shared === undefined).map(({ dataset }) => dataset.id);
      // All cases: those that are homozygous may be older than a page of carriers.
      const cases = datasets.some(({ withCases }) => withCases) ? farthest : 0;
      // Those of the caller as of one moment.
      const seen = await repository.observe(assembly, questions, own, {
        ...(detailed && { cases, fractions: true }),
        signal,
      });
      const counted: DatasetObservation[][] = questions.map(() => []);
      const places = new Map(seen[0]?.map(({ dataset }, place) => [dataset, place]));
      for (const observable of datasets) {
        const { dataset, shared } = observable;
        const theirs = shared && (await shared.reads.observe(assembly, questions, [dataset.id], { signal }));
        const found = theirs ?? seen;
        // A dataset may be removed meanwhile; the others have one place in all lists.
        const place = theirs ? theirs[0]?.findIndex((one) => one.dataset === dataset.id) : places.get(dataset.id);
        if (place === undefined || place < 0) continue;
        const observations = found.map((each) => each[place] as Observation);
        const judged = await (await denominators(dataset, threshold, shared?.reads)).of(
          questions,
          observations,
          signal,
        );
        for (const [i, denominator] of judged.entries()) {
          if (denominator.total < (shared?.minimum ?? 0)) continue;
          const reasons = shared ? [] : denominator.reasons;
          const observation = observations[i] as Observation;
          counted[i]?.push({ ...observable, observation, denominator: { ...denominator, reasons } });
        }
      }
      return counted;
    },
  };
}

// The datasets of which tenants share counts with the members of others.

export interface SharedBeaconDataset {
  dataset: Dataset;
  /** Samples below which nothing is counted. */
  minimum: number;
  reads: SharedReads;
}

export interface SharingTools {
  tenants: Pick<Tenants, 'sharedWith'> | undefined;
  repository: BatchRepository & Pick<BeaconRepository, 'observe' | 'sampleFacts'>;
  callability: FindCallability;
  protection: ProtectionSettings;
}

/**
 * Those of the datasets that are shared with the caller and have enough samples, in their order. Not those with a protection:
 * of them others learn only what that lets them learn.
 */
export async function sharedDatasets(
  { tenants, repository, callability, protection }: SharingTools,
  caller: Caller,
  datasets: readonly Dataset[],
): Promise<SharedBeaconDataset[]> {
  const shares = (await tenants?.sharedWith(caller, sharedRight)) ?? [];
  const found: SharedBeaconDataset[] = [];
  for (const dataset of shares.length === 0 ? [] : datasets) {
    const release = strictest(shares.filter((share) => share.dataset === dataset.id));
    const isOpen = protectionOfDataset(protection, dataset.id) === undefined;
    if (release === undefined || !isOpen || dataset.sampleCount < release.minimum) continue;
    const samples = await releasedSamples(repository, await callability(dataset), dataset, release);
    if (samples.length === 0) continue;
    found.push({ dataset, minimum: release.minimum, reads: new SharedReads(repository, dataset, samples) });
  }
  return found;
}

/** A dataset of several tenants may be shared by each of them. */
function strictest(shares: readonly Share[]): Pick<Share, 'minimum' | 'batch'> | undefined {
  if (shares.length === 0) return undefined;
  return {
    minimum: Math.max(...shares.map(({ minimum }) => minimum)),
    batch: Math.max(...shares.map(({ batch }) => batch)),
  };
}

// A shared dataset as others than its tenant see it: as if it had only the samples that count for them.

/** Carriers whose names are read at once, at most, if every sample were one. */
const mostNamed = 1_000_000;

class SharedReads implements Pick<BeaconRepository, 'observe' | 'sampleFacts'> {
  readonly #repository: Pick<BeaconRepository, 'observe'>;
  readonly #dataset: Pick<Dataset, 'id' | 'sampleCount'>;
  /** One entry each. */
  readonly #samples: readonly Sample[];
  readonly #released: readonly Sample[];

  /** `released`: `releasedSamples` of the dataset. */
  constructor(
    repository: Pick<BeaconRepository, 'observe'>,
    dataset: Pick<Dataset, 'id' | 'sampleCount'>,
    released: readonly Sample[],
  ) {
    this.#repository = repository;
    this.#dataset = dataset;
    this.#released = released;
    const byName = new Map<string, Sample>();
    for (const one of released) {
      const { small = false, structural = false } = byName.get(one.name)?.searched ?? {};
      const searched = { small: small || one.searched.small, structural: structural || one.searched.structural };
      byName.set(one.name, { ...one, searched });
    }
    this.#samples = [...byName.values()];
  }

  async sampleFacts(): Promise<Sample[]> {
    return [...this.#released];
  }

  /** Counts as of several moments, if there are many questions. Without details. */
  async observe(
    assembly: Assembly,
    questions: readonly ObservedQuestion[],
    _datasets: readonly string[],
    { carriers, signal }: ObserveOptions = {},
  ): Promise<(readonly Observation[])[]> {
    const recount = this.#recounts(assembly, carriers === true);
    const size = Math.max(1, Math.floor(mostNamed / Math.max(1, this.#dataset.sampleCount)));
    const observations: (readonly Observation[])[] = [];
    for (let from = 0; from < questions.length; from += size) {
      const part = questions.slice(from, from + size);
      const options = { carriers: true, ...(signal && { signal }) };
      const found = await this.#repository.observe(assembly, part, [this.#dataset.id], options);
      for (const [i, all] of found.entries()) {
        observations.push(all.map((one) => recount(part[i] as ObservedQuestion, one)));
      }
    }
    return observations;
  }

  #recounts(assembly: Assembly, names: boolean) {
    const observed = new Observed(this.#samples);
    const numbers = new Map(this.#samples.map(({ name }, number) => [name, number]));
    let known: readonly string[] = [];
    // By number in the dataset, that among these samples; -1 for others.
    let own: readonly number[] = [];
    return ({ type, contig, start }: ObservedQuestion, { dataset, named }: Observation): Observation => {
      if (named && named.names !== known) {
        known = named.names;
        own = known.map((name) => numbers.get(name) ?? -1);
      }
      const counts = (number: number) => {
        const searched = this.#samples[own[number] as number]?.searched;
        return type === 'structural' ? searched?.structural : searched?.small;
      };
      for (const [i, number] of named?.numbers.entries() ?? []) {
        if (counts(number)) observed.add(own[number] as number, named?.copies[i] as number);
      }
      for (const number of named?.uncalled ?? []) if (counts(number)) observed.miss(own[number] as number);
      // A fraction that one of few carriers has would tell of a person.
      const { fractions: _, ...counted } = observed.result({ assembly, contig, start, type }, { carriers: names });
      return { dataset, ...counted };
    };
  }
}

// Which samples of a shared dataset count for others than its tenant, by the batches that are stored of it.

export type BatchRepository = Pick<BeaconRepository, 'salt' | 'batches' | 'addBatches'>;

/** How often batches are formed again because another process did so meanwhile. */
const attempts = 10;

/**
 * Those of the candidates, oldest first, that count (`settled`), by their ids, of any form: stored are digests with the salt of the
 * dataset. What counts together for different figures belongs to different series. Empty if the dataset does not exist.
 */
export async function countingTogether(
  repository: BatchRepository,
  dataset: string,
  series: string,
  candidates: readonly Candidate[],
  release: Release,
): Promise<ReadonlyMap<string, { readonly late: boolean }>> {
  const salt = await repository.salt(dataset);
  if (salt === undefined) return new Map();
  const digest = (text: string, length: number) => hash('sha256', `${salt}\n${text}`, 'base64url').slice(0, length);
  const ids = new Map(candidates.map(({ id }) => [digest(id, 22), id]));
  const digests = candidates.map(({ id, version, late }) => ({
    id: digest(id, 22),
    version: digest(version, 12),
    late: late === undefined ? undefined : digest(late, 12),
  }));
  // Other batches than before are other groups.
  const name = `${series}, ${release.batch}`;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const batches = await repository.batches(dataset, name);
    const { counting, added } = settled(batches, digests, release);
    if (added.length === 0 || (await repository.addBatches(dataset, name, batches.length, added))) {
      return new Map([...counting].map(([id, how]) => [ids.get(id) as string, how]));
    }
  }
  throw new Fault('unavailable', 'The shared samples change at the moment');
}

/**
 * The samples of a shared dataset that count: those that were searched for small alleles and those that were searched for structural
 * ones, each apart, so that neither is below the minimum or changes by less than a batch. `searched` says for which of them an entry
 * counts; a sample has two entries if its coverage counts for one of them only. Empty if there are too few for either.
 */
async function releasedSamples(
  repository: BatchRepository & Pick<BeaconRepository, 'sampleFacts'>,
  service: CallabilityService | undefined,
  { id }: Pick<Dataset, 'id'>,
  release: Release,
): Promise<readonly Sample[]> {
  const oldestFirst = (await repository.sampleFacts(id)).sort(byDateAdded);
  const standings = await service?.standings?.(oldestFirst.map(({ coverageId }) => coverageId));
  const countingFor = (kind: keyof Searched) => {
    const candidates = oldestFirst.flatMap(({ name, added, sex, coverageId, later, searched, unsearched }, i) => {
      if (!searched[kind]) return [];
      const version = JSON.stringify([sex, coverageId, later?.[kind] ?? 0, ...(unsearched?.[kind] ?? [])]);
      return { id: `${added?.getTime() ?? ''} ${name}`, version, late: standings ? standings[i] : 'any' };
    });
    return countingTogether(repository, id, standings ? kind : `${kind}, any coverage`, candidates, release);
  };
  const [small, structural] = [await countingFor('small'), await countingFor('structural')];
  return oldestFirst.flatMap((sample) => {
    const key = `${sample.added?.getTime() ?? ''} ${sample.name}`;
    const [one, other] = [small.get(key), structural.get(key)];
    const entry = (searched: Searched, { late }: { late: boolean }): Sample => ({
      ...sample,
      searched,
      // No registered sample has such an id.
      coverageId: late ? sample.coverageId : `\u0001${sample.coverageId}`,
    });
    if (one && other && one.late === other.late) return [entry({ small: true, structural: true }, one)];
    return [
      ...(one ? [entry({ small: true, structural: false }, one)] : []),
      ...(other ? [entry({ small: false, structural: true }, other)] : []),
    ];
  });
}

/** Samples that an earlier release added without a date come first. */
function byDateAdded(one: Sample, other: Sample): number {
  const ages = (one.added?.getTime() ?? 0) - (other.added?.getTime() ?? 0);
  return ages === 0 ? (one.name < other.name ? -1 : 1) : ages;
}
