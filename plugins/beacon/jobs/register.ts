/** The beacon's background work. */
import { keepUploads } from '../../../core/files.js';
import { type PluginContext, recurring } from '../../../core/plugin.js';
import type { BeaconServices } from '../services.js';
import { filterOf } from '../vcf/filter.js';
import { addVariants, addVariantsJob } from './add-variants.js';
import { deleteVariants, deleteVariantsJob } from './delete-variants.js';
import { rewriteJob, rewriteOutdated } from './rewrite.js';
import { createRunInOrder } from './run-in-order.js';

export function registerJobs(
  context: Pick<PluginContext<unknown>, 'jobs' | 'log' | 'onReady' | 'onClose'>,
  { settings, repository, genes, uploads, now }: BeaconServices,
): void {
  const onUsed = keepUploads(context, uploads);
  const filter = filterOf(settings.filter);
  // Shared by both jobs, so that a deletion does not overtake the load before it.
  const tools = { repository, runInOrder: createRunInOrder(), now };
  const { jobs } = context;
  jobs.handle(addVariants, addVariantsJob({ ...tools, genes, filter, roots: settings.roots, uploads, onUsed }));
  jobs.handle(deleteVariants, deleteVariantsJob(tools));
  jobs.handle(rewriteOutdated, rewriteJob(tools));
  recurring(context, {
    what: 'queueing the rewriting of older data',
    everyMs: 3_600_000,
    async work() {
      if ((await repository.outdated()).length === 0) return;
      await jobs.enqueue(rewriteOutdated, {}, { owner: 'server', key: rewriteOutdated });
    },
  });
}
