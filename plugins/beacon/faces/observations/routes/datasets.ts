/** `GET /observations/datasets`: the datasets that the caller may observe, and what their counts mean. */
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../../../core/plugin.js';
import { assemblies, type Dataset, type Sample, totalsFor } from '../../../contract.js';
import { observeRight } from '../../../rights.js';
import type { BeaconServices } from '../../../services.js';
import { jsonType, totals } from '../answers.js';
import { mostOf } from '../rule.js';

const datasetBody = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    assembly: z.enum(assemblies),
    description: z.string().optional(),
    counting: z
      .strictObject({
        minimumQuality: z
          .number()
          .nullable()
          .describe('Genotypes with a lower GQ, or none, are not loaded; null: all are.'),
        passOnly: z.boolean().describe('Whether only records whose FILTER is PASS are loaded.'),
        window: z.int().min(0).describe('The largest window of structural variants, in bases.'),
      })
      .describe('Which genotypes are loaded, and which structural variants count as one.'),
    of: z
      .strictObject({ small: totals, structural: totals })
      .describe('Cases and samples in which alleles of plain bases, and structural variants, were searched for.'),
    lastLoad: z.iso.datetime().nullable().describe('When the newest sample was added; null if unknown.'),
    updated: z.iso.datetime().describe('When anything in the dataset last changed.'),
  })
  .meta({ id: 'ObservationDataset' });

export function datasetsRoute({ repository, datasets, policy, observeAccess }: BeaconServices): RouteDeclaration {
  return route({
    method: 'GET',
    path: '/observations/datasets',
    operation: 'observationDatasets',
    summary: 'List the datasets that the caller may observe',
    access: observeAccess,
    answers: {
      200: {
        description: 'The datasets by id, with their counting rules and totals.',
        content: { [jsonType]: z.strictObject({ datasets: z.array(datasetBody) }) },
      },
    },
    async handle({ principal }) {
      const open = await policy.among(principal, observeRight, await datasets.current());
      const described = [];
      // One after another: the samples of a large dataset take memory.
      for (const dataset of open) described.push(datasetAnswer(dataset, await repository.sampleFacts(dataset.id)));
      return { body: { datasets: described } };
    },
  });
}

function datasetAnswer(dataset: Dataset, samples: readonly Sample[]): z.output<typeof datasetBody> {
  const { id, name, assembly, description, counting, updated } = dataset;
  return {
    id,
    name,
    assembly,
    ...(description !== undefined && { description }),
    counting: {
      minimumQuality: counting?.quality ?? null,
      passOnly: counting?.passOnly ?? false,
      window: mostOf(dataset),
    },
    of: { small: totalsFor(samples, 'sequence'), structural: totalsFor(samples, 'structural') },
    lastLoad: newest(samples)?.toISOString() ?? null,
    updated: updated.toISOString(),
  };
}

function newest(samples: readonly Sample[]): Date | undefined {
  return samples.reduce<Date | undefined>(
    (last, { added }) => (added && (!last || added > last) ? added : last),
    undefined,
  );
}
