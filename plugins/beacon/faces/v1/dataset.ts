/** `POST /apiv1.0/add_dataset` and `POST|DELETE /apiv1.0/delete`: add or describe a dataset, and remove samples from one. */
import { z } from 'zod';
import { Fault, isFault, ownerOf, type Principal, type RouteDeclaration, route } from '../../../../core/plugin.js';
import { assemblies, type DatasetDescription } from '../../contract.js';
import { changeDataset, describeDataset } from '../../domain/dataset.js';
import { countingMembers, type DatasetWords, describedFields } from '../../domain/dataset-fields.js';
import { type DeleteVariants, deleteVariants } from '../../loading/jobs.js';
import { mustKeepClosed, mustWrite } from '../../rights.js';
import type { BeaconServices } from '../../services.js';
import {
  acceptedAnswer,
  checkedText,
  documentedSchema,
  doneAnswers,
  jobAnswers,
  object,
  quotedAsPython,
} from './answers.js';

const badId = 'Invalid dataset ID. Dataset ID should be a string with alphanumeric characters and underscores';
const badName = 'Dataset name must be a non-empty string';
const badDescription = 'Dataset description must be a non-empty string';

const inQuotes = (value: unknown) => (typeof value === 'string' ? quotedAsPython(value) : `'${quotedAsPython(value)}'`);

const datasetBody = object({
  id: z.string(badId).min(1, badId).describe('Letters, digits and the characters _ - . :'),
  name: z.string(badName).trim().min(1, badName),
  build: z.enum(assemblies, {
    error: ({ input }) =>
      `Dataset genome build ${inQuotes(input)} is not valid. Accepted values are 'GRCh37' or 'GRCh38'`,
  }),
  authlevel: z.enum(['public', 'registered', 'controlled'], {
    error: ({ input }) =>
      `Dataset authlevel build ${inQuotes(input)} is not valid. Accepted values are 'public', 'registered' or 'controlled'`,
  }),
  description: z.string(badDescription).trim().min(1, badDescription).nullish(),
  version: z.union([z.string(), z.number()], 'Dataset version must be a number, such as 1.0').nullish(),
  url: z.string('Dataset url must be an http(s) address').nullish(),
  update: z
    .union([z.boolean(), z.enum(['True', 'False', 'true', 'false'])], {
      error: ({ input }) => `malformed node or string: ${quotedAsPython(input)}`,
    })
    .nullish()
    .describe('Whether to change an existing dataset; omitted fields then keep their values.'),
  ...countingMembers,
});

function wordsOfBody(body: z.output<typeof datasetBody>): DatasetWords {
  const { build: assembly, authlevel: access, url: externalUrl } = body;
  return {
    ...statedMembers(describedFields.shape, { ...body, externalUrl }),
    ...{ id: body.id, name: body.name, assembly, access },
    counting: statedMembers(countingMembers, body),
  };
}

/** Those of the fields that a body states, as they are written in commands. */
function statedMembers(fields: object, body: Readonly<Record<string, unknown>>): object {
  const stated = Object.keys(fields).map((field) => [field, body[field]] as const);
  return Object.fromEntries(
    stated.flatMap(([field, value]) =>
      value == null ? [] : [[field, typeof value === 'number' ? String(value) : value]],
    ),
  );
}

export function datasetRoute({ repository, datasets, writeAccess, policy, now }: BeaconServices): RouteDeclaration {
  async function add(words: DatasetWords): Promise<void> {
    try {
      await repository.addDataset(describeDataset(words), now());
    } catch (error) {
      if (!isFault(error) || error.code !== 'conflict') throw error;
      throw new Fault('unprocessable', `Duplicate Key Error: there is already a dataset with the ID '${words.id}'`);
    }
  }

  async function update(words: DatasetWords, principal: Principal): Promise<void> {
    try {
      const keepClosed = (before: DatasetDescription, after: DatasetDescription) =>
        mustKeepClosed(policy, principal, before.access, after.access);
      if (await changeDataset(repository, words, now(), keepClosed)) return;
    } catch (error) {
      // The assembly of a dataset with samples cannot change.
      if (!isFault(error) || error.code !== 'conflict') throw error;
      throw new Fault('unprocessable', `Update failed: ${error.message}`);
    }
    throw new Fault('unprocessable', "Update failed: couldn't find any dataset with the given ID in database");
  }

  return route({
    method: 'POST',
    path: '/apiv1.0/add_dataset',
    operation: 'addDataset',
    summary: 'Add a dataset, or change its description',
    access: writeAccess,
    body: { types: ['application/json'], schema: documentedSchema(datasetBody) },
    answers: doneAnswers,
    async handle(request) {
      const body = checkedText(datasetBody, request.body ?? {});
      const words = wordsOfBody(body);
      await mustWrite(policy, request.principal, words.id);
      const isUpdate = body.update === true || String(body.update).toLowerCase() === 'true';
      try {
        await (isUpdate ? update(words, request.principal) : add(words));
      } finally {
        datasets.forget();
      }
      return { body: { message: 'Dataset collection was successfully updated' } };
    },
  });
}

// `POST|DELETE /apiv1.0/delete`: removes samples from a dataset.

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
    body: { types: ['application/json'], schema: documentedSchema(deleteBody) },
    answers: jobAnswers,
    async handle(request) {
      const sent = request.body;
      const { dataset_id } = checkedText(deleteBody.pick({ dataset_id: true }), sent);
      await mustWrite(policy, request.principal, dataset_id);
      if (!(await repository.dataset(dataset_id))) throw new Fault('unprocessable', noDataset);
      const samples = [...new Set(checkedText(deleteBody, sent).samples)];
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
