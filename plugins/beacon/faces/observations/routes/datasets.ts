/** `GET /observations/datasets`: the datasets that the caller may observe, and what their counts mean. */
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../../../core/plugin.js';
import { assemblies, type Dataset, type Sample, totalsFor } from '../../../contract.js';
import type { BeaconServices } from '../../../services.js';
import { jsonType, sharedDescription, totals } from '../answers.js';
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
    lastLoad: z.iso.datetime().nullable().describe('When the newest sample was added; null if unknown, or not told.'),
    updated: z.iso
      .datetime()
      .optional()
      .describe('When anything in the dataset last changed; omitted if another tenant shares it.'),
    shared: z.literal(true).optional().describe(sharedDescription),
  })
  .meta({ id: 'ObservationDataset' });

export function datasetsRoute({ repository, observing, observeAccess }: BeaconServices): RouteDeclaration {
  return route({
    method: 'GET',
    path: '/observations/datasets',
    operation: 'observationDatasets',
    summary: 'List the datasets that the caller may observe',
    access: observeAccess,
    query: z.strictObject({}),
    answers: {
      200: {
        description: 'The datasets by id, with their counting rules and totals.',
        content: { [jsonType]: z.strictObject({ datasets: z.array(datasetBody) }) },
      },
    },
    async handle({ principal }) {
      const described = [];
      // One after another: the samples of a large dataset take memory.
      for (const { dataset, shared } of await observing.all(principal)) {
        const samples = shared ? await shared.reads.sampleFacts() : await repository.sampleFacts(dataset.id);
        described.push(datasetAnswer(dataset, samples, shared !== undefined));
      }
      return { body: { datasets: described } };
    },
  });
}

function datasetAnswer(dataset: Dataset, samples: readonly Sample[], isShared: boolean): z.output<typeof datasetBody> {
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
    lastLoad: isShared ? null : (newest(samples)?.toISOString() ?? null),
    ...(isShared ? { shared: true } : { updated: updated.toISOString() }),
  };
}

function newest(samples: readonly Sample[]): Date | undefined {
  return samples.reduce<Date | undefined>(
    (last, { added }) => (added && (!last || added > last) ? added : last),
    undefined,
  );
}
