/** `/coverage/registry/samples`: the samples that the server knows. */
import { z } from 'zod';
import { Fault, ownerOf, type Principal, type RouteDeclaration, route } from '../../../core/plugin.js';
import { type RegisteredSample, sampleStates } from '../contract.js';
import { checkJob } from '../jobs/check-samples.js';
import { fillJob } from '../jobs/fill-cohorts.js';
import { registerSamples, removeSamples } from '../registry/changes.js';
import { descriptionOf, sampleId, statedAsJson } from '../registry/description.js';
import { factsOfAll } from '../registry/facts.js';
import { sameFilesOf } from '../registry/same-files.js';
import { shownOf, shownSample } from '../registry/shown.js';
import { readSamplesRight, registerRight } from '../rights.js';
import type { CoverageServices } from '../services.js';
import { checked, detailBody, documented, refusal, whole } from './input.js';

const place = z.object({ id: sampleId });
const params = z.object({ id: z.string().describe('The id of the sample, percent-encoded.') });

const listQuery = z.object({
  state: z.enum(sampleStates).optional().describe('Only samples in this state.'),
  after: z
    .string()
    .max(1000)
    .refine((text) => text.length <= 200 || text.startsWith('~'), 'is neither an id nor `next` of a page')
    .optional()
    .describe('Only samples after this id: `next` of the page before.'),
  limit: whole(1, 1000).optional().describe('Most samples of a page; 100 if omitted.'),
});

const registeredAnswer = z.object({
  outcome: z
    .enum(['added', 'moved', 'described', 'unchanged'])
    .describe('moved: another file or build is stated; described: anything else changed.'),
  job: z.object({ id: z.uuid(), href: z.string().describe('Address of the state of the check, for the same token.') }),
});

const tokenAnswers = {
  401: refusal('The token is missing or invalid.'),
  403: refusal('The token lacks the scope.'),
  422: refusal('A field is invalid.'),
};

/** The only field that is in the path. */
export const registryErrorBody: typeof detailBody = (fault, status, request) =>
  detailBody(fault, status, request, (field) =>
    field === 'id' ? 'path' : request.method === 'GET' ? 'query' : 'body',
  );

export function registryRoutes(services: CoverageServices): RouteDeclaration[] {
  const record = (request: { principal: Principal; id: string }, shown: readonly RegisteredSample[]) =>
    services.recording.shown(request, {
      action: 'samples',
      samples: shown.map(({ id }) => id),
      cases: shown.map((sample) => sample.case),
      right: readSamplesRight,
    });
  const { registry, access, transaction, jobs, now, forCaller, findSameFiles } = services;
  return [
    route({
      method: 'GET',
      path: '/coverage/registry/samples',
      operation: 'registeredSamples',
      summary: 'The registered samples, by id',
      access: access.readSamples,
      query: documented(listQuery),
      answers: {
        200: {
          description: 'A page of samples.',
          content: {
            'application/json': z.object({
              samples: z.array(shownSample),
              next: z.string().nullable().describe('`after` of the next page; null on the last one.'),
            }),
          },
        },
        ...tokenAnswers,
      },
      async handle(request) {
        const { listed, sampleFacts } = await forCaller(request.principal, readSamplesRight);
        const { state, after, limit = 100 } = checked(listQuery, request.query);
        const page = { ...(state && { states: [state] }), ...(after !== undefined && { after }), limit };
        const { samples, next } = await listed(page);
        const facts = await factsOfAll(samples, sampleFacts);
        await record(request, samples);
        return {
          body: { samples: samples.map((sample, i) => shownOf(sample, facts[i] as (typeof facts)[number])), next },
        };
      },
    }),

    route({
      method: 'GET',
      path: '/coverage/registry/samples/:id',
      operation: 'registeredSample',
      summary: 'A registered sample',
      access: access.readSamples,
      params,
      answers: {
        200: { description: 'The sample.', content: { 'application/json': shownSample } },
        404: refusal('The sample is not registered.'),
        ...tokenAnswers,
      },
      async handle(request) {
        const { samples, sources, sampleFacts } = await forCaller(request.principal, readSamplesRight);
        const { id } = checked(place, request.params);
        const [sample] = await samples.find([id]);
        if (sample === undefined) throw notRegistered();
        const [facts] = await factsOfAll([sample], sampleFacts);
        const tools = { all: registry.samples, samples, sources, findSameFiles };
        const twins = await sameFilesOf([sample], tools, request.signal);
        const others = twins.flatMap((one) => one.samples).filter((one) => one.id !== id);
        await record(request, [sample, ...others]);
        const warnings = twins.map(({ warning }) => warning);
        return { body: shownOf(sample, facts as NonNullable<typeof facts>, warnings) };
      },
    }),

    route({
      method: 'PUT',
      path: '/coverage/registry/samples/:id',
      operation: 'registerSample',
      summary: 'Register a sample, or replace what is stated of it',
      description:
        'The request states everything: what it omits is removed. The file is then checked (build, chromosomes, extents, sex) ' +
        'and the regions that it covers are stored, by a job.',
      access: access.register,
      params,
      body: { types: ['application/json'], schema: documented(statedAsJson) },
      answers: {
        202: {
          description: 'The sample is registered, and its check is queued.',
          content: { 'application/json': registeredAnswer },
        },
        404: refusal('The D4 file does not exist, or requests may not name it.'),
        409: refusal('The id cannot be used: choose another.'),
        ...tokenAnswers,
      },
      async handle({ params: sent, body, principal }) {
        const { sources, ownAmong } = await forCaller(principal, registerRight);
        const { id } = checked(place, sent);
        const stated = descriptionOf(id, checked(statedAsJson, body));
        // A file that requests may not name is refused at once; the job finds everything else.
        const path = await sources.registered(stated.file.path);
        const description = { ...stated, file: { ...stated.file, path } };
        const owner = ownerOf(principal);
        const ownership = await ownAmong([id]);
        const { outcome, job } = await transaction(async (scope) => {
          const [done] = await registerSamples(registry, scope, [description], now(), ownership);
          return { outcome: done ?? 'unchanged', job: await jobs.enqueue(checkJob, { id }, { owner, scope }) };
        });
        return { status: 202, body: { outcome, job: { id: job.id, href: jobs.href(job) } } };
      },
    }),

    route({
      method: 'DELETE',
      path: '/coverage/registry/samples/:id',
      operation: 'deleteRegisteredSample',
      summary: 'Remove a registered sample, as if it had never been registered',
      description: 'The coverage file stays where it is.',
      access: access.register,
      params,
      answers: {
        200: {
          description: 'The sample was removed.',
          content: { 'application/json': z.object({ detail: z.string() }) },
        },
        404: refusal('The sample is not registered.'),
        ...tokenAnswers,
      },
      async handle({ params: sent, principal }) {
        const { ownAmong } = await forCaller(principal, registerRight);
        const { id } = checked(place, sent);
        if ((await removeSamples(registry, [id], await ownAmong([id]))) === 0) throw notRegistered();
        // Where its values share blocks with those of others, they are overwritten.
        await jobs.enqueue(fillJob, {}, { owner: 'server', key: fillJob });
        return { body: { detail: 'The sample was removed' } };
      },
    }),
  ];
}

function notRegistered(): Fault {
  return new Fault('not-found', 'The sample is not registered');
}
