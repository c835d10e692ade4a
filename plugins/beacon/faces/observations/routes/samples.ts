/** `GET|PATCH /observations/datasets/:id/samples`: what is known of the samples of a dataset. */
import { z } from 'zod';
import { Fault, type RouteDeclaration, route } from '../../../../../core/plugin.js';
import { contigs, type Sample, sampleLabels, sexes } from '../../../contract.js';
import { mustWrite } from '../../../domain/access.js';
import { casesRight } from '../../../rights.js';
import type { BeaconServices } from '../../../services.js';
import { jsonType } from '../answers.js';
import { changeOf, sampleChange } from '../sample-change.js';

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

const page = z.strictObject({
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
    query: page,
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
      if (!dataset) throw absent();
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
      if (!(await repository.dataset(id))) throw absent();
      const known = new Set(await repository.samples(id));
      const unknown = samples.findIndex(({ name }) => !known.has(name));
      if (unknown >= 0) throw new Fault('unprocessable', `samples.${unknown}.name: the dataset has no such sample`);
      const changed = await repository.describeSamples(
        id,
        new Map(samples.map(({ name, ...words }) => [name, changeOf(words)])),
        now(),
      );
      return { body: { changed } };
    },
  });
}

function absent(): Fault {
  return new Fault('not-found', 'There is no dataset with this id');
}

function sampleAnswer({
  name,
  sex,
  affected,
  labels,
  coverageId,
  phenotypes,
  diseases,
  searched,
  unsearched,
  added,
  ...sample
}: Sample): z.output<typeof sampleBody> {
  return {
    name,
    case: sample.case,
    sex,
    affected: affected ?? null,
    labels: { ...labels },
    coverageId,
    phenotypes: phenotypes.map((term) => ({ ...term })),
    diseases: diseases.map((term) => ({ ...term })),
    searched: { small: searched.small, structural: searched.structural },
    ...(unsearched && {
      unsearched: {
        ...(unsearched.small && { small: [...unsearched.small] }),
        ...(unsearched.structural && { structural: [...unsearched.structural] }),
      },
    }),
    added: added?.toISOString() ?? null,
  };
}
