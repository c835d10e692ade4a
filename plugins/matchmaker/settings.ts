/** The matchmaker's section of the configuration. */
import { z } from 'zod';
import { resourceSettings } from './resources/settings.js';

const share = (value: number) => z.number().min(0).max(1).default(value);

export const matchmakerSettings = z
  .strictObject({
    maxResults: z.int().min(1).max(1000).default(5).describe('Patients that /match answers at most (MAX_RESULTS).'),
    scoreThreshold: share(0).describe('Matches that score below are left out (SCORE_THRESHOLD).'),
    maxGenotypeScore: share(0.75).describe('What the same variants are worth (MAX_GT_SCORE).'),
    maxPhenotypeScore: share(0.25).describe('What the same features are worth (MAX_PHENO_SCORE).'),
    includeQuery: z
      .boolean()
      .default(false)
      .describe('Whether a stored patient of the same id as the query is among its matches.'),
    disclaimer: z
      .string()
      .default(
        'These data are provided in good faith for the discovery of genes and causes of rare diseases only, without ' +
          'warranty of any kind. They may not be used to identify a person.',
      )
      .describe('Goes with every answer that holds data; nothing where empty (DISCLAIMER).'),
    terms: z.string().default('').describe('Terms of use, likewise.'),
    protectMetrics: z.boolean().default(false).describe('Whether /metrics needs a token.'),
    production: z
      .boolean()
      .optional()
      .describe('What /heartbeat says of it; where absent, whether this is no demo (`demo: false`).'),
    retentionDays: z
      .int()
      .min(0)
      .max(36_500)
      .default(730)
      .describe('Days for which records of matches are kept; 0 keeps them until they are deleted.'),
    importLimit: z
      .int()
      .min(1)
      .default(64 * 1024 ** 2)
      .describe('Largest body of /patient/import in bytes.'),
    resources: resourceSettings,
  })
  .refine(({ maxGenotypeScore, maxPhenotypeScore }) => maxGenotypeScore + maxPhenotypeScore <= 1 + 1e-9, {
    path: ['maxGenotypeScore'],
    error: 'and maxPhenotypeScore are more than 1 together, which is the highest score there is',
  });

export type MatchmakerSettings = z.output<typeof matchmakerSettings>;

export const environment = {
  MAX_RESULTS: 'maxResults',
  SCORE_THRESHOLD: 'scoreThreshold',
  MAX_GT_SCORE: 'maxGenotypeScore',
  MAX_PHENO_SCORE: 'maxPhenotypeScore',
  DISCLAIMER: 'disclaimer',
} as const;
