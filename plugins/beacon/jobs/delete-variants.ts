/** The job that removes samples from a dataset. */
import { z } from 'zod';
import { Fault, type JobHandler } from '../../../core/plugin.js';
import type { BeaconRepository } from '../contract.js';
import type { RunInOrder } from './run-in-order.js';

export const deleteVariants = 'beacon.delete-variants';

const payload = z.strictObject({ dataset: z.string(), samples: z.array(z.string()).min(1) });

export type DeleteVariants = z.output<typeof payload>;

export interface DeleteTools {
  repository: BeaconRepository;
  runInOrder: RunInOrder;
  now(): Date;
}

/** Samples that are already removed are skipped, so an attempt that was interrupted at any moment can be repeated. */
export function deleteVariantsJob({ repository, runInOrder, now }: DeleteTools): JobHandler<DeleteVariants> {
  return {
    payload,
    run: ({ dataset, samples }, { signal, log }) =>
      runInOrder(dataset, signal, async () => {
        if (!(await repository.dataset(dataset))) {
          throw new Fault('unprocessable', `There is no dataset '${dataset}' any more`);
        }
        const removed = await repository.removeSamples(dataset, samples, now());
        log.info({ dataset, ...removed }, 'variants deleted');
        return { dataset, removed: { ...removed } };
      }),
  };
}
