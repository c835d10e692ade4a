/**
 * `/observations/datasets` and `/observations/datasets/:id/samples`: the datasets that the caller may observe, and facts about
 * their samples, to read and to change.
 */
import { z } from 'zod';
import { Fault, isIntact, type RouteDeclaration, route } from '../../../../core/plugin.js';
import {
  assemblies,
  contigs,
  type Dataset,
  distinctTerms,
  mostTerms,
  type OntologyTerm,
  type Sample,
  type SampleChange,
  type SampleLabel,
  sampleLabels,
  sexes,
  totalsFor,
} from '../../contract.js';
import { isDay } from '../../domain/facts.js';
import { wrongWithTerm } from '../../domain/sample.js';
import { casesRight, mustWrite } from '../../rights.js';
import type { BeaconServices } from '../../services.js';
import { jsonType, sharedDescription, totals, windowOfDataset } from './answers.js';

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
        minimumHeteroplasmy: z
          .int()
          .optional()
          .describe('Calls of MT with a lower allele fraction, in percent, are not counted; all are if omitted.'),
      })
      .describe('Which genotypes are loaded, and which structural variants count as one.'),
    of: z
      .strictObject({ small: totals, structural: totals })
      .describe('Cases and samples in which alleles of plain bases, and structural variants, were searched for.'),
    alignedTo: z
      .string()
      .optional()
      .describe('The reference by which insertions and deletions are left-aligned; omitted if they are only trimmed.'),
    annotations: z
      .array(
        z.strictObject({
          annotator: z.enum(['VEP', 'SnpEff']),
          version: z.string().describe('As the files state it; empty if they do not.'),
          databases: z.record(z.string(), z.string()).describe('Releases that VEP used, by its names.'),
          alleles: z.int().describe('Alleles whose consequences are of it.'),
        }),
      )
      .optional()
      .describe('Who annotated the alleles, the last one loaded first; omitted if nobody did, or it is not told.'),
    lastLoad: z.iso.datetime().nullable().describe('When the newest sample was added; null if unknown, or not told.'),
    updated: z.iso
      .datetime()
      .optional()
      .describe('When anything in the dataset last changed; omitted if another tenant shares it.'),
    shared: z.literal(true).optional().describe(sharedDescription),
  })
  .meta({ id: 'ObservationDataset' });

export function datasetsRoute({
  repository,
  consequences,
  observing,
  observeAccess,
}: BeaconServices): RouteDeclaration {
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
        const annotations = shared ? [] : await consequences.sources(dataset.id);
        described.push({
          ...datasetAnswer(dataset, samples, shared !== undefined),
          ...(annotations.length > 0 && { annotations: annotations.map(({ loaded: _, ...source }) => source) }),
        });
      }
      return { body: { datasets: described } };
    },
  });
}

function datasetAnswer(dataset: Dataset, samples: readonly Sample[], isShared: boolean): z.output<typeof datasetBody> {
  const { id, name, assembly, description, counting, alignedTo, updated } = dataset;
  return {
    id,
    name,
    assembly,
    ...(description !== undefined && { description }),
    counting: {
      minimumQuality: counting?.quality ?? null,
      passOnly: counting?.passOnly ?? false,
      window: windowOfDataset(dataset),
      ...(counting?.minimumHeteroplasmy !== undefined && { minimumHeteroplasmy: counting.minimumHeteroplasmy }),
    },
    of: { small: totalsFor(samples, 'sequence'), structural: totalsFor(samples, 'structural') },
    ...(alignedTo !== undefined && { alignedTo }),
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

// Facts about samples as clients and operators write them.

const mostTermsStated = 200;

/** Text for one line of a table, such as the id of a case. */
const lineSchema = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(mostTermsStated, `must have no more than ${mostTermsStated} characters`)
  .regex(/^\P{Cc}*$/u, 'must be one line without control characters')
  .refine(isIntact, 'has bytes that are not UTF-8');

const daySchema = lineSchema.refine(isDay, 'must be a date such as 2026-01-31');

const labelsSchema = z.strictObject(
  Object.fromEntries(
    sampleLabels.map((label) => [label, (label.endsWith('_date') ? daySchema : lineSchema).optional()]),
  ) as Record<SampleLabel, z.ZodOptional<typeof lineSchema>>,
);

const termsSchema = z
  .array(
    z
      .strictObject({ id: z.string(), label: z.string().trim().min(1, 'must not be empty').optional() })
      .superRefine(({ id, label }, context) => {
        const wrong = wrongWithTerm({ id, ...(label !== undefined && { label }) });
        if (wrong) context.addIssue({ code: 'custom', message: wrong });
      }),
  )
  .max(mostTerms);

/** Fields to set; omitted ones stay as they are. */
const sampleChange = z.strictObject({
  case: lineSchema.optional().describe('The case (family) that the sample belongs to.'),
  sex: z.enum(sexes, `must be one of ${sexes.join(', ')}`).optional(),
  affected: z
    .boolean()
    .nullable()
    .optional()
    .describe('Whether the person has the disease of the case; null if unknown.'),
  labels: labelsSchema.optional().describe('How the sample was analysed; they replace all labels that it has.'),
  coverageId: lineSchema
    .optional()
    .describe('The registered sample that knows its depth; its own name for that of the same id.'),
  phenotypes: termsSchema.optional().describe('Phenotypes that the person has; they replace all that are stated.'),
  diseases: termsSchema.optional().describe('Diseases that the person has; they replace all that are stated.'),
});

/** The change that was written; an unknown `affected` is null in JSON, and undefined here. */
function changeOfBody({ affected, phenotypes, diseases, ...words }: z.output<typeof sampleChange>): SampleChange {
  return {
    ...(words as SampleChange),
    ...(affected !== undefined && { affected: affected ?? undefined }),
    ...(phenotypes && { phenotypes: distinctTerms(phenotypes as OntologyTerm[]) }),
    ...(diseases && { diseases: distinctTerms(diseases as OntologyTerm[]) }),
  };
}

// `GET|PATCH /observations/datasets/:id/samples`: what is known of the samples of a dataset.

const path = '/observations/datasets/:id/samples';
const params = z.object({ id: z.string().max(200) });

const term = z.strictObject({ id: z.string(), label: z.string().optional() }).meta({ id: 'OntologyTerm' });

const sampleBody = z
  .strictObject({
    name: z.string(),
    case: z.string(),
    sex: z.enum(sexes),
    affected: z.boolean().nullable().describe('Whether the person has the disease of the case; null if unknown.'),
    labels: z.partialRecord(z.enum(sampleLabels), z.string()).describe('How the sample was analysed.'),
    coverageId: z
      .string()
      .describe(
        'The registered sample of the coverage plugin that knows the depth of this one; its own name by default.',
      ),
    phenotypes: z.array(term).describe('Phenotypes that the person has, as far as known.'),
    diseases: z.array(term).describe('Diseases that the person is known to have.'),
    searched: z
      .strictObject({ small: z.boolean(), structural: z.boolean() })
      .describe('Which kinds of alleles its files could show.'),
    unsearched: z
      .strictObject({ small: z.array(z.enum(contigs)).optional(), structural: z.array(z.enum(contigs)).optional() })
      .optional()
      .describe('Chromosomes that were not searched for alleles of a kind: all genotypes there were skipped.'),
    added: z.iso.datetime().nullable().describe('When it was first added to the dataset; null if unknown.'),
  })
  .meta({ id: 'ObservationSample' });

const samplePage = z.strictObject({
  limit: z.coerce.number().int().min(1).max(10_000).default(1000).describe('Maximum number of samples.'),
  after: z.string().max(1000).optional().describe('`next` of the previous page.'),
});

export function samplesRoute({ repository, policy, casesAccess, recording }: BeaconServices): RouteDeclaration {
  return route({
    method: 'GET',
    path,
    operation: 'observationSamples',
    summary: 'List what is known of the samples of a dataset',
    access: casesAccess,
    params,
    query: samplePage,
    answers: {
      200: {
        description: 'Samples by name.',
        content: {
          [jsonType]: z.strictObject({
            samples: z.array(sampleBody),
            next: z.string().optional().describe('`after` of the next page, if there is one.'),
          }),
        },
      },
    },
    async handle({ params: { id }, input: { limit, after }, principal, id: request }) {
      // Checked first, so that a caller without the right takes the same steps whether or not the dataset exists.
      const dataset = (await policy.may(principal, casesRight, { id })) ? await repository.dataset(id) : undefined;
      if (!dataset) throw datasetAbsent();
      const all = await repository.sampleFacts(id);
      const rest = after === undefined ? all : all.filter(({ name }) => name > after);
      const shown = rest.slice(0, limit);
      const next = rest.length > limit ? shown.at(-1)?.name : undefined;
      await recording.samples({ principal, id: request }, dataset, shown);
      return { body: { samples: shown.map(sampleAnswer), ...(next !== undefined && { next }) } };
    },
  });
}

const mostChanges = 10_000;

const changes = z.strictObject({
  samples: z
    .array(sampleChange.extend({ name: z.string().min(1).max(1000) }))
    .min(1)
    .max(mostChanges)
    .refine(
      (samples) => new Set(samples.map(({ name }) => name)).size === samples.length,
      'must name each sample only once',
    ),
});

export function describeSamplesRoute({ repository, writeAccess, policy, now }: BeaconServices): RouteDeclaration {
  return route({
    method: 'PATCH',
    path,
    operation: 'describeSamples',
    summary: 'Correct what is known of samples',
    description:
      'Sets the fields that are given: the case, the sex, whether the person is affected, phenotypes, diseases, labels, and ' +
      'the id of the registered sample that knows its depth. All changes take effect ' +
      'at once, also in observations of what was loaded before; none does if a sample is unknown.',
    access: writeAccess,
    params,
    query: z.strictObject({}),
    body: { types: [jsonType], schema: changes, limit: 8 * 1024 ** 2 },
    answers: {
      200: {
        description: 'Done.',
        content: { [jsonType]: z.strictObject({ changed: z.int().describe('Samples of which something changed.') }) },
      },
    },
    async handle({ params: { id }, body: { samples }, principal }) {
      await mustWrite(policy, principal, id);
      if (!(await repository.dataset(id))) throw datasetAbsent();
      const known = new Set(await repository.samples(id));
      const unknown = samples.findIndex(({ name }) => !known.has(name));
      if (unknown >= 0) throw new Fault('unprocessable', `samples.${unknown}.name: the dataset has no such sample`);
      const changed = await repository.describeSamples(
        id,
        new Map(samples.map(({ name, ...words }) => [name, changeOfBody(words)])),
        now(),
      );
      return { body: { changed } };
    },
  });
}

function datasetAbsent(): Fault {
  return new Fault('not-found', 'There is no dataset with this id');
}

function sampleAnswer(sample: Sample): z.output<typeof sampleBody> {
  const { searched, unsearched } = sample;
  return {
    name: sample.name,
    case: sample.case,
    sex: sample.sex,
    affected: sample.affected ?? null,
    labels: sample.labels,
    coverageId: sample.coverageId,
    phenotypes: [...sample.phenotypes],
    diseases: [...sample.diseases],
    searched: { small: searched.small, structural: searched.structural },
    ...(unsearched && {
      unsearched: {
        ...(unsearched.small && { small: [...unsearched.small] }),
        ...(unsearched.structural && { structural: [...unsearched.structural] }),
      },
    }),
    added: sample.added?.toISOString() ?? null,
  };
}
