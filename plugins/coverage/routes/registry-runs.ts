/** `/coverage/registry/runs`: whether runs differ from earlier runs of their assay. */
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import { westgardRules } from '../comparison/westgard.js';
import { builds } from '../contract.js';
import { runData } from '../exports/runs-json.js';
import { readSamplesRight } from '../rights.js';
import type { CoverageServices } from '../services.js';
import { checked, documented, refusal } from './input.js';

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
    query: documented(query),
    answers: {
      200: {
        description: 'Assays with at least ten samples, and their runs.',
        content: { 'application/json': answer },
      },
      401: refusal('The token is missing or invalid.'),
      403: refusal('The token lacks the scope.'),
      422: refusal('A field is invalid.'),
      503: refusal('The stored values cannot be read.'),
    },
    async handle(request) {
      const { signal } = request;
      const { charted } = await forCaller(request.principal, readSamplesRight);
      const { build, assay } = checked(query, request.query);
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
