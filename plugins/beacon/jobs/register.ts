/** The beacon's background work. */
import { keepUploads } from '../../../core/files.js';
import { type PluginContext, recurring } from '../../../core/plugin.js';
import type { BeaconServices } from '../services.js';
import { filterOf } from '../vcf/filter.js';
import { addVariants, addVariantsJob } from './add-variants.js';
import { deleteVariants, deleteVariantsJob } from './delete-variants.js';
import { createRunInOrder } from './run-in-order.js';
import { upkeepJob, upkeepOf } from './upkeep.js';

export function registerJobs(
  context: Pick<PluginContext<unknown>, 'jobs' | 'log' | 'onReady' | 'onClose'>,
  { settings, named, repository, erasures, generations, genes, uploads, now }: BeaconServices,
): void {
  const onUsed = keepUploads(context, uploads);
  const filter = filterOf(settings.filter);
  // Shared by both jobs, so that a deletion does not overtake the load before it.
  const tools = { repository, generations, runInOrder: createRunInOrder(), now };
  const { jobs } = context;
  jobs.handle(
    addVariants,
    addVariantsJob({
      ...tools,
      genes,
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
  for (const upkeep of upkeepOf(repository, generations)) {
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
