/** The beacon's background work: which jobs there are, and the upkeep of stored data, dataset by dataset. */
import { z } from 'zod';
import { keepUploads } from '../../core/files.js';
import { type JobHandler, type PluginContext, recurring } from '../../core/plugin.js';
import type { BeaconRepository } from './contract.js';
import {
  addVariants,
  addVariantsJob,
  createRunInOrder,
  deleteVariants,
  deleteVariantsJob,
  type RunInOrder,
} from './loading/jobs.js';
import type { Generations } from './protection/generations.js';
import type { BeaconServices } from './services.js';
import { type ConsequenceTools, interruptedDatasets, settleConsequences } from './vcf/consequences/staging.js';
import { recordFilterOf } from './vcf/rules.js';

export function registerJobs(
  context: Pick<PluginContext<unknown>, 'jobs' | 'log' | 'onReady' | 'onClose'>,
  {
    settings,
    named,
    repository,
    erasures,
    generations,
    genes,
    depthTools,
    consequenceTools,
    references,
    uploads,
    now,
  }: BeaconServices,
): void {
  const onUsed = keepUploads(context, uploads);
  const filter = recordFilterOf(settings.filter);
  // Shared by both jobs, so that a deletion does not overtake the load before it.
  const tools = { repository, generations, runInOrder: createRunInOrder(), now };
  const { jobs } = context;
  jobs.handle(
    addVariants,
    addVariantsJob({
      ...tools,
      genes,
      depths: depthTools,
      references,
      consequences: consequenceTools,
      erasures,
      filter,
      mostSamples: settings.loads.samples,
      thresholds: settings.comparison,
      named,
      uploads,
      onUsed,
    }),
  );
  jobs.handle(deleteVariants, deleteVariantsJob(tools));
  for (const upkeep of upkeepOf(repository, generations, consequenceTools)) {
    const { job, what, everyMs } = upkeep;
    jobs.handle(job, upkeepJob(upkeep, tools));
    recurring(context, {
      what: `queueing the ${what}`,
      everyMs,
      async work() {
        if ((await upkeep.datasets()).length === 0) return;
        await jobs.enqueue(job, {}, { owner: 'server', key: job });
      },
    });
  }
}

// Jobs that work on stored data while nothing waits for it, dataset by dataset and part by part.

interface Upkeep {
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

type UpkeepGenerations = Pick<Generations, 'due' | 'settle' | 'outOfForm' | 'rewrite'>;

function upkeepOf(
  repository: BeaconRepository,
  generations: UpkeepGenerations,
  consequences: ConsequenceTools,
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
      // Loads and deletions publish what is due themselves, unless they are interrupted: then a dataset may not answer until
      // its publication is finished.
      job: 'beacon.publish',
      what: 'publication of protected datasets',
      everyMs: 300_000,
      datasets: () => generations.due(),
      part: async (id) => {
        const dataset = await repository.dataset(id);
        if (dataset) await generations.settle(dataset);
        return 0;
      },
    },
    {
      job: 'beacon.rewrite',
      what: 'left-aligning of stored alleles',
      everyMs: 60_000,
      datasets: () => generations.outOfForm(),
      part: async (id, pause) => {
        const dataset = await repository.dataset(id);
        if (dataset) await generations.rewrite(dataset, pause);
        return 0;
      },
    },
    {
      // Loads and deletions do so themselves, unless they are interrupted.
      job: 'beacon.consequences',
      what: 'publication of consequences',
      everyMs: 600_000,
      datasets: () => interruptedDatasets(consequences),
      part: async (dataset) => {
        await settleConsequences(consequences, dataset, new Date());
        return 0;
      },
    },
  ];
}

/** Every part that is done stays so: an attempt that was interrupted at any moment continues with the rest. */
function upkeepJob(
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
