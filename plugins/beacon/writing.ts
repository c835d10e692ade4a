/** The part of the beacon that changes data over HTTP: routes, the jobs that they start, uploads. */
import { keepUploads, type PluginContext, uploadFolder } from '../../core/plugin.js';
import { type BeaconRepository, beaconGenes } from './contract.js';
import { writeScope } from './domain/scope.js';
import { addRoute } from './faces/v1/routes/add.js';
import { datasetRoute } from './faces/v1/routes/dataset.js';
import { deleteRoute } from './faces/v1/routes/delete.js';
import { messageError } from './faces/v1/routes/message.js';
import { addVariants, addVariantsJob } from './jobs/add-variants.js';
import { deleteVariants, deleteVariantsJob } from './jobs/delete-variants.js';
import { turns } from './jobs/turns.js';
import type { BeaconSettings } from './settings.js';
import { filterOf } from './vcf/filter.js';

export function registerWriting(context: PluginContext<BeaconSettings>, repository: BeaconRepository): void {
  const { settings, jobs, now } = context;
  const access = context.tokenAccess(writeScope, { some: true });
  const uploads = uploadFolder(settings.uploads.folder, 'vcf');
  const onUsed = keepUploads(context, uploads);
  const genes = context.repository(beaconGenes);
  const filter = filterOf(settings.filter);
  const tools = { repository, turns: turns(), now };
  jobs.handle(addVariants, addVariantsJob({ ...tools, genes, filter, roots: settings.roots, uploads, onUsed }));
  jobs.handle(deleteVariants, deleteVariantsJob(tools));
  const routes = [
    addRoute({ settings, repository, genes, access, jobs, uploads }),
    deleteRoute({ repository, access, jobs }),
    datasetRoute({ repository, access, now }),
  ];
  for (const route of routes) {
    context.route(route);
    context.errorBody(route.path, messageError);
  }
}
