/**
 * `/coverage/registry/samples`: the samples that the server knows, and `/coverage/registry/runs`: whether runs differ from
 * earlier runs of their assay.
 */
import { z } from 'zod';
import { Fault, ownerOf, type Principal, type RouteDeclaration, route } from '../../../core/plugin.js';
import { westgardRules } from '../cohorts/statistics.js';
import { builds, type RegisteredSample, sampleStates } from '../contract.js';
import { checkJob, fillJob } from '../jobs.js';
import { runData } from '../report/formats/json.js';
import { readSamplesRight, registerRight } from '../rights.js';
import { registerSamples, removeSamples } from '../samples/changes.js';
import { descriptionOfWords, sampleAnswer, sampleId, shownSample, statedAsJson } from '../samples/description.js';
import { factsOfAll } from '../samples/find.js';
import type { FindingWarning } from '../samples/findings.js';
import { sameFilesOf } from '../samples/registered-same-files.js';
import type { CoverageServices } from '../services.js';
import { checkedInput, detailBody, documentedSchema, jsonAnswer, refusal, wholeNumber } from './input.js';

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
  limit: wholeNumber(1, 1000).optional().describe('Most samples of a page; 100 if omitted.'),
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
  const record = (
    request: { principal: Principal; id: string },
    shown: readonly RegisteredSample[],
    found: readonly FindingWarning[],
  ) =>
    services.recording.shown(request, {
      action: 'samples',
      samples: [...new Set([...shown.map(({ id }) => id), ...found.flatMap(({ other }) => other ?? [])])],
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
      query: documentedSchema(listQuery),
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
        const { listed, sampleFacts, findingsWithNames } = await forCaller(request.principal, readSamplesRight);
        const { state, after, limit = 100 } = checkedInput(listQuery, request.query);
        const page = { ...(state && { states: [state] }), ...(after !== undefined && { after }), limit };
        const { samples, next } = await listed(page);
        const facts = await factsOfAll(samples, sampleFacts);
        const found = await findingsWithNames(samples.map(({ id }) => id));
        await record(request, samples, [...found.values()].flat());
        const answers = samples.map((sample, i) =>
          sampleAnswer(sample, facts[i] as (typeof facts)[number], found.get(sample.id)),
        );
        return { body: { samples: answers, next } };
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
        200: jsonAnswer('The sample.', shownSample),
        404: refusal('The sample is not registered.'),
        ...tokenAnswers,
      },
      async handle(request) {
        const reached = await forCaller(request.principal, readSamplesRight);
        const { samples, sources, sampleFacts, findingsWithNames } = reached;
        const { id } = checkedInput(place, request.params);
        const [sample] = await samples.find([id]);
        if (sample === undefined) throw notRegistered();
        const [facts] = await factsOfAll([sample], sampleFacts);
        const tools = { all: registry.samples, samples, sources, findSameFiles };
        const twins = await sameFilesOf([sample], tools, request.signal);
        const others = twins.flatMap((one) => one.samples).filter((one) => one.id !== id);
        const found = (await findingsWithNames([id])).get(id) ?? [];
        await record(request, [sample, ...others], found);
        const warnings = [...twins.map(({ warning }) => warning), ...found];
        return { body: sampleAnswer(sample, facts as NonNullable<typeof facts>, warnings) };
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
      body: { types: ['application/json'], schema: documentedSchema(statedAsJson) },
      answers: {
        202: jsonAnswer('The sample is registered, and its check is queued.', registeredAnswer),
        404: refusal('The D4 file does not exist, or requests may not name it.'),
        409: refusal('The id cannot be used: choose another.'),
        ...tokenAnswers,
      },
      async handle({ params: sent, body, principal }) {
        const { sources, ownAmong } = await forCaller(principal, registerRight);
        const { id } = checkedInput(place, sent);
        const stated = descriptionOfWords(id, checkedInput(statedAsJson, body));
        // A file that requests may not name is refused at once; the job finds everything else.
        const path = await sources.registered(stated.file.path);
        const { unique } = stated;
        const description = {
          ...{ ...stated, file: { ...stated.file, path } },
          ...(unique && { unique: { ...unique, path: await sources.registered(unique.path) } }),
        };
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
        200: jsonAnswer('The sample was removed.', z.object({ detail: z.string() })),
        404: refusal('The sample is not registered.'),
        ...tokenAnswers,
      },
      async handle({ params: sent, principal }) {
        const { ownAmong } = await forCaller(principal, registerRight);
        const { id } = checkedInput(place, sent);
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

// `/coverage/registry/runs`: whether runs differ from earlier runs of their assay.

const query = z.object({
  build: z.enum(builds).default('GRCh38').describe('GRCh38 if omitted.'),
  assay: z
    .string()
    .max(200)
    .optional()
    .describe('Only the runs of this assay; those of each assay, apart, if omitted.'),
});

const drift = z.object({
  drifted: z.boolean().describe('Whether a rule other than 1-2s is broken, or p is below 0.001.'),
  distance: z
    .number()
    .nullable()
    .describe('Median of the run minus that of the samples of all earlier runs, divided by 1.4826 · MAD of these.'),
  mann_whitney_u: z.number().nullable(),
  mann_whitney_p: z.number().nullable().describe('Two-sided, by the normal approximation.'),
  westgard: z.array(z.enum(westgardRules)).describe('Rules that the distances break; 1-2s is a warning.'),
});

const answer = z.object({
  assays: z.array(
    z.object({
      assay: z.string(),
      counted: z
        .enum(['coding', 'exons'])
        .describe('Coding segments with their splice bases, or exons if no coding sequences are loaded.'),
      exons: z.int().describe('How many of these, on autosomes, the figures rest on.'),
      runs: z
        .array(
          z.object({
            run: z.string(),
            day: z.string().describe('The first day of its samples.'),
            samples: z.int(),
            median_z: z.number().describe('Median of the samples.'),
            share_beyond_3: z.number().describe('Median of the samples.'),
            earlier_samples: z.int().describe('Samples of earlier runs; with fewer than 20 nothing is said of drift.'),
            drift: z.object({ median_z: drift, share_beyond_3: drift }),
            values: z.array(
              z.object({
                id: z.string(),
                median_z: z
                  .number()
                  .describe(
                    'Median, over these, of the robust z of the normalised depth among all samples of the assay.',
                  ),
                share_beyond_3: z.number().describe('Share of these with |z| > 3.'),
              }),
            ),
          }),
        )
        .describe('By day.'),
    }),
  ),
});

export function runsRoute({ access, runCharts, queue, forCaller, recording }: CoverageServices): RouteDeclaration {
  return route({
    method: 'GET',
    path: '/coverage/registry/runs',
    operation: 'coverageRuns',
    class: 'report',
    summary: 'Control charts: the runs of each assay beside earlier runs',
    access: access.readSamples,
    query: documentedSchema(query),
    answers: {
      200: jsonAnswer('Assays with at least ten samples, and their runs.', answer),
      401: refusal('The token is missing or invalid.'),
      403: refusal('The token lacks the scope.'),
      422: refusal('A field is invalid.'),
      503: refusal('The stored values cannot be read.'),
    },
    async handle(request) {
      const { signal } = request;
      const { charted } = await forCaller(request.principal, readSamplesRight);
      const { build, assay } = checkedInput(query, request.query);
      const all = await charted(build, signal);
      const names = [...new Set(all.flatMap((member) => member.assay ?? []))].sort();
      const asked = assay === undefined ? names : names.filter((name) => name === assay);
      const assays: z.output<typeof answer>['assays'] = [];
      for (const name of asked) {
        const work = () => runCharts({ build, assay: name, members: all }, signal);
        const chart = await queue.run(all.length, work, signal);
        if (chart === undefined) continue;
        assays.push({
          assay: name,
          ...{ counted: chart.counted, exons: chart.places },
          runs: chart.runs.map((run) => ({
            ...runData(run),
            values: run.samples.map(({ id, medianZ, share }) => ({ id, median_z: medianZ, share_beyond_3: share })),
          })),
        });
      }
      const samples = assays.flatMap(({ runs }) => runs.flatMap(({ values }) => values.map(({ id }) => id)));
      await recording.shown(request, { action: 'samples', what: 'runs', samples, right: readSamplesRight });
      return { body: { assays } };
    },
  });
}
