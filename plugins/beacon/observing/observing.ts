/** Counts of alleles in the datasets of which a caller may see them: with their own right, or because they are shared. */
import { type Caller, Fault, type Policy } from '../../../core/plugin.js';
import type { DenominatorsOf } from '../callability/denominators.js';
import type { Judged } from '../callability/judged.js';
import type { Assembly, Dataset, Observation, ObservedQuestion } from '../contract.js';
import { farthest } from '../contract.js';
import type { DatasetList } from '../domain/listing.js';
import { casesRight, observeRight } from '../rights.js';
import { type SharedDataset, type SharingTools, sharedDatasets } from './sharing.js';

/** A dataset of which the caller may see counts. */
export interface Observable {
  dataset: Dataset;
  /** Whether the caller may see in which cases an allele was seen. */
  withCases: boolean;
  /** If another tenant shares it: only counts over the samples that count for others. */
  shared: SharedDataset | undefined;
}

/** What was seen of one allele in one dataset. */
export interface Counted extends Observable {
  observation: Observation;
  denominator: Judged;
}

export interface CountOptions {
  /** Reads from which on a base counts as covered; the threshold of each dataset if omitted. */
  threshold?: number | undefined;
  /** Whether to count with details, and with cases where the caller may see them. */
  detailed?: boolean;
  signal: AbortSignal;
}

export interface Observing {
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
  ): Promise<Counted[][]>;
}

export interface ObservingTools extends SharingTools {
  datasets: Pick<DatasetList, 'current'>;
  policy: Policy;
  denominators: DenominatorsOf;
}

/** The fault for a dataset that is named and does not exist, or may not be observed. */
export function notObservable(id: string): Fault {
  return new Fault('unprocessable', `There is no dataset "${id}" that this token may observe`);
}

export function createObserving(tools: ObservingTools): Observing {
  const { repository, policy, denominators } = tools;

  async function all(caller: Caller): Promise<Observable[]> {
    const datasets = await tools.datasets.current();
    const own = new Set(await policy.among(caller, observeRight, datasets));
    const others = datasets.filter((dataset) => !own.has(dataset));
    const shared = new Map(
      (await sharedDatasets(tools, caller, others)).map((one): [Dataset, SharedDataset] => [one.dataset, one]),
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
      const seen = await repository.observe(assembly, questions, own, { ...(detailed && { cases }), signal });
      const counted: Counted[][] = questions.map(() => []);
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
