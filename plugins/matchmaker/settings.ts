/** The matchmaker's section of the configuration. */
import { z } from 'zod';
import { exposureSetting } from '../../core/plugin.js';
import { exchangeSettings } from './exchange/settings.js';
import { mailSettings, notifySettings } from './mail/settings.js';
import { sampleRules } from './patient/extensions.js';
import { resourceSettings } from './resources/settings.js';

const whole = (usual: number, least: number, most: number) => z.int().min(least).max(most).default(usual);
const share = (value: number) => z.number().min(0).max(1).default(value);

/** Whether people work with matches on this server. */
const triageSettings = z
  .strictObject({
    hidePhenotypeOnly: z
      .array(z.string().min(1).max(255))
      .default([])
      .describe('Ids of nodes of which rows without a shared gene are hidden, unless a person asks for them.'),
    samples: z
      .enum(sampleRules)
      .default('stated')
      .describe(
        'The registered sample of a patient: the one that its `_sample` states, and no other (stated); else the one with the ' +
          'id of the patient (same-id), or with what follows the last dot of that id, as Scout makes it (scout-id).',
      ),
    threshold: whole(10, 1, 10_000).describe(
      'Reads with which a base counts as covered beside a match; one of `plugins.coverage.samples.thresholds`.',
    ),
  })
  .optional()
  .describe('Keeps what people note about the matches of submissions, and shows it at /matchmaker/submissions.');

export type TriageSettings = NonNullable<z.output<typeof triageSettings>>;

export const matchmakerSettings = z
  .strictObject({
    maxResults: whole(5, 1, 1000).describe('Maximum number of patients returned by /match (MAX_RESULTS).'),
    scoreThreshold: share(0).describe('Minimum score of a returned match (SCORE_THRESHOLD).'),
    geneShare: share(0.4).describe(
      'Share of the places in a response of /match that go first to patients who share a gene with the query, rounded ' +
        'down: 2 of 5. 0 orders all patients by their scores alone.',
    ),
    maxGenotypeScore: share(0.75).describe('Highest score that genotypes contribute (MAX_GT_SCORE).'),
    maxPhenotypeScore: share(0.25).describe('Highest score that phenotypes contribute (MAX_PHENO_SCORE).'),
    includeQuery: z
      .boolean()
      .default(false)
      .describe("Whether matches include the caller's own stored patient with the id of the query."),
    disclaimer: z
      .string()
      .default(
        'These data are provided in good faith for the discovery of genes and causes of rare diseases only, without ' +
          'warranty of any kind. They may not be used to identify a person.',
      )
      .describe('Sent with every response that holds data; left out if empty (DISCLAIMER).'),
    terms: z.string().default('').describe('Terms of use, sent with the same responses; left out if empty.'),
    protectMetrics: z
      .boolean()
      .default(false)
      .describe(
        'Whether /metrics needs a token. If it does, the page /matchmaker, which shows the same numbers, is not open either.',
      ),
    page: exposureSetting('The page /matchmaker'),
    production: z.boolean().optional().describe('Older name of heartbeat.production (version 0.1).'),
    heartbeat: z
      .strictObject({
        production: z
          .boolean()
          .optional()
          .describe('Whether /heartbeat reports a server in production; if omitted, true unless `demo` is on.'),
      })
      .prefault({})
      .describe('What /heartbeat reports.'),
    retentionDays: whole(730, 0, 36_500).describe(
      'Days to keep records of matches; 0 keeps them until they are deleted.',
    ),
    scrubOnDelete: z
      .boolean()
      .default(false)
      .describe('Whether deleting a patient also removes it from the records of queries that found it.'),
    auditDays: whole(1095, 0, 36_500).describe('Days to keep the audit trail; 0 keeps it forever.'),
    importLimit: z
      .int()
      .min(1)
      .default(64 * 1024 ** 2)
      .describe('Maximum size of the body of /patient/import, in bytes.'),
    exchange: exchangeSettings,
    mail: mailSettings,
    notify: notifySettings,
    resources: resourceSettings,
    triage: triageSettings,
  })
  .refine(({ maxGenotypeScore, maxPhenotypeScore }) => maxGenotypeScore + maxPhenotypeScore <= 1 + 1e-9, {
    path: ['maxGenotypeScore'],
    error: 'and maxPhenotypeScore must not exceed 1 together, the highest possible score',
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
