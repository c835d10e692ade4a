/** What the beacon knows of samples, for other plugins that know the same samples. */
import type { Candidate, Release } from '../../core/plugin.js';
import type { BeaconRepository, SampleLabel, Sex } from './contract.js';
import { type BatchRepository, countingTogether } from './observing/batches.js';

/** The service `beacon/sample-facts@1`. */
export interface SampleFactsService {
  /**
   * What is known of the samples of these ids, by id: for each sample of a dataset with that `coverageId`, by dataset
   * ascending. Ids that no dataset has are left out.
   */
  factsOf(ids: readonly string[]): Promise<ReadonlyMap<string, readonly DatasetFacts[]>>;
  /**
   * The ids of those candidates, of samples that a tenant shares by a dataset and oldest first, that count for others in the figures
   * of a series: `settled`. The batches are stored with the dataset.
   */
  countingTogether(
    dataset: string,
    series: string,
    candidates: readonly Candidate[],
    release: Release,
  ): Promise<ReadonlySet<string>>;
}

/** What one dataset has on a sample. */
export interface DatasetFacts {
  dataset: string;
  /** The case that was stated; a sample of which nothing was said is its own case, and has none here. */
  case?: string;
  sex: Sex;
  labels: Readonly<Partial<Record<SampleLabel, string>>>;
}

/** Offered to other plugins, which see its type only. */
export function sampleFactsService(
  repository: BatchRepository & Pick<BeaconRepository, 'datasets' | 'sampleFacts'>,
): SampleFactsService {
  return {
    async countingTogether(dataset, ...figures) {
      return new Set((await countingTogether(repository, dataset, ...figures)).keys());
    },

    async factsOf(ids) {
      const wanted = new Set(ids);
      const found = new Map<string, DatasetFacts[]>();
      if (wanted.size === 0) return found;
      for (const { id: dataset } of await repository.datasets()) {
        for (const { name, case: stated, sex, labels, coverageId } of await repository.sampleFacts(dataset)) {
          if (!wanted.has(coverageId)) continue;
          const facts = { dataset, ...(stated !== name && { case: stated }), sex, labels };
          const others = found.get(coverageId);
          if (others) others.push(facts);
          else found.set(coverageId, [facts]);
        }
      }
      return found;
    },
  };
}
