/** What the beacon knows of samples, for other plugins that know the same samples. */
import type { DatasetFacts, SampleFactsService } from '../services/beacon.js';
import type { BeaconRepository } from './contract.js';
import { type BatchRepository, countingTogether } from './observing/batches.js';

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
