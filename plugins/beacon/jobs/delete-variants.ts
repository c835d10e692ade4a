/** The job that removes samples from a dataset. */
import { z } from 'zod';
import { Fault, type JobHandler } from '../../../core/plugin.js';
import type { BeaconRepository } from '../contract.js';
import { type Generations, waitingJson } from '../protection/generations.js';
import type { RunInOrder } from './run-in-order.js';

export const deleteVariants = 'beacon.delete-variants';

const payload = z.strictObject({ dataset: z.string(), samples: z.array(z.string()).min(1) });

export type DeleteVariants = z.output<typeof payload>;

export interface DeleteTools {
  repository: BeaconRepository;
  runInOrder: RunInOrder;
  generations: Pick<Generations, 'remove'>;
}

/** Samples that are already removed are skipped, so an attempt that was interrupted at any moment can be repeated. */
export function deleteVariantsJob({ repository, runInOrder, generations }: DeleteTools): JobHandler<DeleteVariants> {
  return {
    payload,
    run: ({ dataset: id, samples }, { signal, log }) =>
      runInOrder(id, signal, async () => {
        const dataset = await repository.dataset(id);
        if (!dataset) throw new Fault('unprocessable', `There is no dataset '${id}' any more`);
        const { removed, postponed, waiting } = await generations.remove(dataset, samples);
        log.info({ dataset: id, ...removed, postponed }, 'variants deleted');
        return { dataset: id, removed: { ...removed }, ...(waiting && { waiting: waitingJson(waiting) }) };
      }),
  };
}
