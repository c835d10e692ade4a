/** Jobs that work on stored data while nothing waits for it, dataset by dataset and part by part. */
import { z } from 'zod';
import type { JobHandler } from '../../../core/plugin.js';
import type { BeaconRepository } from '../contract.js';
import type { Generations } from '../protection/generations.js';
import type { RunInOrder } from './run-in-order.js';

export interface Upkeep {
  /** The name of the job. */
  job: string;
  /** What it does, for the log. */
  what: string;
  /** How often to look whether there is work. */
  everyMs: number;
  /** The datasets with work. */
  datasets(): Promise<string[]>;
  /** Does a part of the work on a dataset, and returns how many parts are left; `pause` as in the contract. */
  part(dataset: string, pause: () => Promise<void>): Promise<number>;
}

export function upkeepOf(
  repository: BeaconRepository,
  generations: Pick<Generations, 'due' | 'settle'>,
): readonly Upkeep[] {
  return [
    {
      job: 'beacon.compact',
      what: 'merging of small imports',
      everyMs: 60_000,
      datasets: () => repository.fragmented(),
      part: (dataset, pause) => repository.compact(dataset, pause),
    },
    {
      // Loads and deletions publish what is due themselves, unless they are interrupted.
      job: 'beacon.publish',
      what: 'publication of protected datasets',
      everyMs: 3_600_000,
      datasets: () => generations.due(),
      part: async (id) => {
        const dataset = await repository.dataset(id);
        if (dataset) await generations.settle(dataset);
        return 0;
      },
    },
  ];
}

/** Every part that is done stays so: an attempt that was interrupted at any moment continues with the rest. */
export function upkeepJob(
  { what, ...upkeep }: Upkeep,
  { runInOrder }: { runInOrder: RunInOrder },
): JobHandler<Record<string, never>> {
  return {
    payload: z.strictObject({}),
    async run(_, { signal, progress, giveWay, log }) {
      const datasets = await upkeep.datasets();
      const pause = async () => {
        signal.throwIfAborted();
        await giveWay();
      };
      for (const [i, dataset] of datasets.entries()) {
        let parts = 0;
        for (let left = 1; left > 0; parts++) {
          // Loads and deletions that wait for the dataset go between two parts.
          left = await runInOrder(dataset, signal, () => upkeep.part(dataset, pause));
          progress((i + (parts + 1) / (parts + 1 + left)) / datasets.length);
        }
        log.info({ dataset, parts }, `${what} completed`);
      }
      return { datasets };
    },
  };
}
