/** `/coverage/registry/callability` and `…/sexes`: what beacons on other servers ask about registered samples. */
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import type { UnknownCoverage } from '../../services/coverage.js';
import { builds, chromosomes } from '../contract.js';
import { readSamplesRight } from '../rights.js';
import { mostIntervals, mostPlaces, mostSamples } from '../samples/callability/question.js';
import type { CoverageServices } from '../services.js';
import { checkedInput, documentedSchema, jsonAnswer, refusal } from './input.js';

const id = z.string().max(200);
const unknownCoverage = z.enum({
  unregistered: 'unregistered',
  unchecked: 'unchecked',
  unusable: 'unusable',
  'other-build': 'other-build',
  'other-threshold': 'other-threshold',
} satisfies { [Reason in UnknownCoverage]: Reason });
const base = z.int().min(0).max(0xffff_ffff);

const question = z.strictObject({
  build: z.enum(builds).describe('The genome build of the places.'),
  threshold: z.int().min(1).max(1_000_000).describe('Reads with which a base counts as covered.'),
  groups: z
    .array(z.array(id))
    .max(1000)
    .describe(`Ids of registered samples, in groups that are counted apart; at most ${mostSamples} ids, each once.`),
  places: z
    .array(
      z.strictObject({
        chromosome: z.enum(chromosomes as readonly [string, ...string[]]).describe('1 to 22, X, Y or MT.'),
        intervals: z
          .array(z.strictObject({ start: base, end: base }))
          .min(1)
          .max(mostIntervals)
          .describe('Zero-based, half-open, ascending. Every base of each of them must be covered.'),
        named: z.array(id).optional().describe('Samples of the groups of which it is asked whether they are covered.'),
      }),
    )
    .max(mostPlaces)
    .describe('Fastest in the order of the genome.'),
});

const answer = z.object({
  unknown: z
    .array(z.object({ sample: z.string(), reason: unknownCoverage }))
    .describe('Samples of which it is unknown everywhere what they cover, and why.'),
  places: z
    .array(
      z.object({
        covered: z.array(z.int()).describe('The number of covered samples of each group.'),
        below: z.array(z.string()).describe('The named samples that are not covered; none that is unknown.'),
      }),
    )
    .describe('In the order of the places.'),
});

/** Bytes of a body: 10,000 places with some carriers named at each. */
const mostBytes = 16 * 2 ** 20;

const refusals = {
  400: refusal('The body is not valid JSON, or the question cannot be answered.'),
  401: refusal('The token is missing or invalid.'),
  403: refusal('The token lacks the scope.'),
  413: refusal('The body is too large.'),
  422: refusal('A field is invalid.'),
  503: refusal('The samples changed meanwhile, or the storage cannot be reached: try again.'),
};

const sexesAsked = z.strictObject({ samples: z.array(id).max(mostSamples).describe('Ids of samples.') });

export function callabilityRoutes({ access, forCaller, recording }: CoverageServices): RouteDeclaration[] {
  return [
    route({
      method: 'POST',
      path: '/coverage/registry/callability',
      operation: 'coveredSamples',
      summary: 'How many registered samples are covered at positions',
      description:
        'A sample is covered at a place if each of its bases has at least `threshold` reads. Bases beyond the end of a ' +
        'chromosome are covered by no sample. All samples of a group that are neither covered nor unknown are not covered. ' +
        'The answer comes from the regions that were stored when the samples were checked (`samples.thresholds`).',
      access: access.readSamples,
      body: { types: ['application/json'], schema: documentedSchema(question), limit: mostBytes },
      answers: { 200: jsonAnswer('The counts.', answer), ...refusals },
      async handle(request) {
        const { callability, samples: reached } = await forCaller(request.principal, readSamplesRight);
        const asked = checkedInput(question, request.body);
        const found = await callability.covered(asked as Parameters<typeof callability.covered>[0], request.signal);
        const samples = async () => (await reached.find(asked.groups.flat())).map((one) => one.id);
        await recording.shown(request, { action: 'callability', what: 'covered', samples, right: readSamplesRight });
        return { body: found };
      },
    }),

    route({
      method: 'POST',
      path: '/coverage/registry/sexes',
      operation: 'sexesOfSamples',
      summary: 'The sexes of registered samples',
      access: access.readSamples,
      body: { types: ['application/json'], schema: documentedSchema(sexesAsked), limit: mostBytes },
      answers: {
        200: {
          description: 'The declared sex, else the predicted one; contradicted if they differ.',
          content: {
            'application/json': z.object({ sexes: z.array(z.enum(['female', 'male', 'unknown', 'contradicted'])) }),
          },
        },
        ...refusals,
      },
      async handle(request) {
        const { callability, samples: reached } = await forCaller(request.principal, readSamplesRight);
        const { samples } = checkedInput(sexesAsked, request.body);
        const sexes = await callability.sexes(samples, request.signal);
        const known = async () => (await reached.find(samples)).map((one) => one.id);
        await recording.shown(request, {
          action: 'callability',
          what: 'sexes',
          samples: known,
          right: readSamplesRight,
        });
        return { body: { sexes } };
      },
    }),
  ];
}
