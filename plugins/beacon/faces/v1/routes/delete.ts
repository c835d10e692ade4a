/** `POST|DELETE /apiv1.0/delete`: removes samples from a dataset. */
import { z } from 'zod';
import { Fault, ownerOf, type RouteDeclaration, route } from '../../../../../core/plugin.js';
import { mustWrite } from '../../../domain/access.js';
import { type DeleteVariants, deleteVariants } from '../../../jobs/delete-variants.js';
import type { BeaconServices } from '../../../services.js';
import { checked } from '../faults.js';
import { acceptedAnswer, documented, jobAnswers } from './message.js';

const noDataset = 'Invalid request. Please specify a valid dataset ID';
const noSamples = 'Please provide a valid list of samples';

const deleteBody = z.object(
  {
    dataset_id: z.string(noDataset).describe('The dataset to delete from.'),
    samples: z.array(z.string(noSamples), noSamples).min(1, noSamples).describe('Samples to delete.'),
  },
  noDataset,
);

export function deleteRoute({ repository, writeAccess, policy, jobs }: BeaconServices): RouteDeclaration {
  return route({
    method: ['POST', 'DELETE'],
    path: '/apiv1.0/delete',
    operation: 'deleteVariants',
    summary: 'Delete the variants of samples from a dataset',
    description: 'Afterwards the dataset is as if the samples had never been added.',
    access: writeAccess,
    body: { types: ['application/json'], schema: documented(deleteBody) },
    answers: jobAnswers,
    async handle(request) {
      const sent = request.body;
      const { dataset_id } = checked(deleteBody.pick({ dataset_id: true }), sent);
      await mustWrite(policy, request.principal, dataset_id);
      if (!(await repository.dataset(dataset_id))) throw new Fault('unprocessable', noDataset);
      const samples = [...new Set(checked(deleteBody, sent).samples)];
      const there = new Set(await repository.samples(dataset_id));
      if (!samples.every((sample) => there.has(sample))) {
        throw new Fault('unprocessable', 'One or more provided samples was not found in the dataset');
      }
      const payload: DeleteVariants = { dataset: dataset_id, samples };
      const job = await jobs.enqueue(deleteVariants, payload, { owner: ownerOf(request.principal) });
      return acceptedAnswer('Deleting variants from Beacon', job, jobs);
    },
  });
}
