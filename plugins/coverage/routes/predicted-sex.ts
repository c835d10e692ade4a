/** `GET /coverage/samples/predicted_sex`. */
import { z } from 'zod';
import { type RouteDeclaration, route } from '../../../core/plugin.js';
import { builds } from '../contract.js';
import { contradicts, declaredSexes } from '../domain/sex.js';
import { sampleName } from '../recording.js';
import { withFiles } from '../registry/named.js';
import type { CoverageServices } from '../services.js';
import { checked, coverageFile, documented, failures, sampleIdField } from './input.js';
import { warningSchema } from './interval-coverage.js';

const query = z.object({
  sample_id: sampleIdField(),
  coverage_file_path: coverageFile(),
  build: z
    .enum(builds)
    .optional()
    .describe('Genome build, whose PARs are excluded; detected from the chromosome lengths if omitted.'),
  declared_sex: z.enum(declaredSexes).optional().describe('The sex that is expected.'),
});

const predictedSex = z
  .object({
    x_coverage: z.number().describe('Mean depth of X outside the PARs, to one decimal.'),
    y_coverage: z.number().describe('Mean depth of Y outside the PARs, to one decimal.'),
    predicted_sex: z.enum(['female', 'male', 'unknown']),
    autosome_coverage: z.number().describe('Mean depth of evenly spread blocks of the autosomes, to one decimal.'),
    x_ratio: z.number().nullable().describe('Depth of X relative to the autosomes: about 1 for XX, 0.5 for XY.'),
    y_ratio: z.number().nullable().describe('Depth of Y relative to the autosomes: about 0 for XX, 0.5 for XY.'),
    build: z.enum(builds).nullable().describe('The build whose PARs were excluded.'),
    declared_sex: z.enum(declaredSexes).optional(),
    sex_mismatch: z.boolean().optional().describe('Whether the predicted sex contradicts the declared one.'),
    warnings: z.array(warningSchema),
  })
  .meta({ id: 'PredictedSex' });

export function predictedSexRoute({ predictSex, forReports, recording }: CoverageServices): RouteDeclaration {
  return route({
    method: 'GET',
    path: '/coverage/samples/predicted_sex',
    operation: 'predictedSex',
    summary: 'Predicts the sex of a sample from the depths of X and Y',
    query: documented(query.partial({ coverage_file_path: true })),
    answers: {
      200: {
        description: 'The predicted sex, with the depths behind it.',
        content: { 'application/json': predictedSex },
      },
      ...failures,
    },
    async handle(request) {
      const { input, signal } = request;
      const { sources, named } = await forReports(request.principal);
      const { fields, sample: known } = await withFiles(input, named);
      const asked = checked(query, fields);
      const { build = known?.build, declared_sex = known?.sex } = asked;
      const location = await sources.coverageFile(asked.coverage_file_path, known?.track);
      const sample = { name: 'this sample', location };
      const found = await predictSex(sample, { build, signal });
      const samples = [sampleName(asked.coverage_file_path, known)];
      await recording.shown(request, { action: 'depth', what: 'sex', samples });
      const rounded = (value: number, decimals: number) => Math.round(value * 10 ** decimals) / 10 ** decimals;
      const ratio = (value: number | undefined) => (value === undefined ? null : rounded(value, 4));
      return {
        body: {
          x_coverage: rounded(found.xCoverage, 1),
          y_coverage: rounded(found.yCoverage, 1),
          predicted_sex: found.sex,
          autosome_coverage: rounded(found.autosomeCoverage, 1),
          x_ratio: ratio(found.xRatio),
          y_ratio: ratio(found.yRatio),
          build: found.build ?? null,
          ...(declared_sex === undefined ? {} : { declared_sex, sex_mismatch: contradicts(found.sex, declared_sex) }),
          warnings: found.warnings.map(({ code, message }) => ({ code, message })),
        },
      };
    },
  });
}
