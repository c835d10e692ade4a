/** The job that brings data of an earlier release into the present form. */
import { z } from 'zod';
import type { JobHandler } from '../../../core/plugin.js';
import type { BeaconRepository } from '../contract.js';
import type { RunInOrder } from './run-in-order.js';

export const rewriteOutdated = 'beacon.rewrite';

/** Every part that is rewritten stays so: an attempt that was interrupted at any moment goes on with the rest. */
export function rewriteJob({
  repository,
  runInOrder,
}: {
  repository: BeaconRepository;
  runInOrder: RunInOrder;
}): JobHandler<Record<string, never>> {
  return {
    payload: z.strictObject({}),
    async run(_, { signal, progress, giveWay, log }) {
      const datasets = await repository.outdated();
      const pause = async () => {
        signal.throwIfAborted();
        await giveWay();
      };
      for (const [i, dataset] of datasets.entries()) {
        let parts = 0;
        for (let left = 1; left > 0; parts++) {
          // Loads and deletions that wait for the dataset go between two parts.
          left = await runInOrder(dataset, signal, () => repository.rewrite(dataset, pause));
          progress((i + (parts + 1) / (parts + 1 + left)) / datasets.length);
        }
        log.info({ dataset, parts }, 'data of an earlier release rewritten');
      }
      return { datasets };
    },
  };
}
