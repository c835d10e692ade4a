/** The matchmaker's section of the configuration. */
import { z } from 'zod';
import { exposureSetting } from '../../core/plugin.js';
import { exchangeSettings } from './exchange/settings.js';
import { mailSettings, notifySettings } from './mail/settings.js';
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
      .describe("Whether the asker's own stored patient of the query's id is among the matches."),
    disclaimer: z
      .string()
      .default(
        'These data are provided in good faith for the discovery of genes and causes of rare diseases only, without ' +
          'warranty of any kind. They may not be used to identify a person.',
      )
      .describe('Goes with every answer that holds data; nothing where empty (DISCLAIMER).'),
    terms: z.string().default('').describe('Terms of use, likewise.'),
    protectMetrics: z
      .boolean()
      .default(false)
      .describe('Whether /metrics needs a token. The page /matchmaker, which shows the same, is then not open either.'),
    page: exposureSetting('The page /matchmaker'),
    production: z.boolean().optional().describe('The name of heartbeat.production in version 0.1.'),
    heartbeat: z
      .strictObject({
        production: z
          .boolean()
          .optional()
          .describe('Whether /heartbeat says that real patients are kept here; if omitted, unless `demo` is on.'),
      })
      .prefault({})
      .describe('What other nodes are told of this one.'),
    retentionDays: z
      .int()
      .min(0)
      .max(36_500)
      .default(730)
      .describe('Days for which records of matches are kept; 0 keeps them until they are deleted.'),
    scrubOnDelete: z
      .boolean()
      .default(false)
      .describe('Whether a patient that is deleted is taken out of the records in which others found it, too.'),
    auditDays: z
      .int()
      .min(0)
      .max(36_500)
      .default(1095)
      .describe('Days for which the audit trail is kept; 0 keeps it for ever.'),
    importLimit: z
      .int()
      .min(1)
      .default(64 * 1024 ** 2)
      .describe('Largest body of /patient/import in bytes.'),
    exchange: exchangeSettings,
    mail: mailSettings,
    notify: notifySettings,
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
  MATCHMAKER_KEY: 'exchange.key',
  MAIL_SERVER: 'mail.server',
  MAIL_PORT: 'mail.port',
  MAIL_USE_TLS: 'mail.useTls',
  MAIL_USE_SSL: 'mail.useSsl',
  MAIL_USERNAME: 'mail.username',
  MAIL_PASSWORD: 'mail.password',
  MAIL_SENDER: 'mail.sender',
  NOTIFY_COMPLETE: 'mail.complete',
} as const;
