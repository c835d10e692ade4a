/** The matchmaker's section of the configuration: queries to other nodes, mail, sources of ontology and genes, triage. */
import { z } from 'zod';
import { mailServerFields } from '../../core/outgoing.js';
import { exposureSetting } from '../../core/plugin.js';
import { purposes, sampleRules } from './patients/patient.js';

const seconds = (usual: number, most: number) => z.number().positive().max(most).default(usual);
const wholeNumber = (usual: number, least: number, most: number) => z.int().min(least).max(most).default(usual);

const exchangeSettings = z
  .strictObject({
    key: z
      .string()
      .min(16, 'must have at least 16 characters')
      .optional()
      .describe('Key that encrypts the stored tokens of nodes (MATCHMAKER_KEY); keep a copy elsewhere.'),
    allowHttp: z
      .boolean()
      .default(false)
      .describe('Whether nodes may be queried over http, without encryption. Never with real patients.'),
    timeoutSeconds: seconds(20, 300).describe('Seconds that a node may take to respond.'),
    slowSeconds: seconds(300, 900).describe(
      'The same for nodes with the quirk `slow`, which background queries wait for.',
    ),
    waitSeconds: z
      .number()
      .min(0)
      .max(300)
      .default(20)
      .describe(
        'Seconds that /match/external waits for responses unless the client states a time; later ones are recorded.',
      ),
    maxBytes: wholeNumber(8 * 1024 ** 2, 1, 256 * 1024 ** 2).describe(
      'Maximum size of the response of a node, in bytes.',
    ),
    maxResults: wholeNumber(100, 1, 1000).describe('Maximum number of patients kept from one response, best first.'),
    retrySeconds: z
      .number()
      .min(0.1)
      .max(3600)
      .default(5)
      .describe('Seconds before a node that failed is queried again; doubled after each failure.'),
    retryMaxSeconds: z.number().min(0.1).max(86_400).default(900).describe('Upper limit of that wait, in seconds.'),
    purpose: z
      .enum(purposes)
      .optional()
      .describe('Purpose (`_purpose`) stated in queries with patients that state none; nothing is stated if omitted.'),
    indirect: z.boolean().default(true).describe('Whether a new patient is compared with earlier queries of clients.'),
    within: z
      .enum(['off', 'others', 'all'])
      .default('others')
      .describe(
        'Stored patients that a patient is compared with when it is added or changed: those of other clients, of all ' +
          'clients, or none. Demo and test patients never are.',
      ),
  })
  .prefault({});

export type ExchangeSettings = z.output<typeof exchangeSettings>;

// Settings of notifications by e-mail: the mail server, and which matches are reported.

export const mailSettings = z
  .strictObject({
    ...mailServerFields((name) => ` (MAIL_${name})`),
    complete: z
      .boolean()
      .default(false)
      .describe('Whether mails include features and variants of the matched patients (NOTIFY_COMPLETE).'),
    link: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .optional()
      .describe('URL of the page that shows a match; {id} is replaced by the id of the submitted patient.'),
    digest: z
      .boolean()
      .default(false)
      .describe('Whether each submitter gets one mail a day instead of one for each search with matches.'),
    digestHour: z.int().min(0).max(23).default(6).describe('Hour of the daily mail, in UTC.'),
    retrySeconds: z
      .number()
      .min(0.1)
      .max(86_400)
      .default(60)
      .describe('Seconds before a mail that failed is sent again.'),
  })
  .refine(({ server, file }) => server === undefined || file === undefined, {
    path: ['file'],
    error: 'stands in the place of a mail server: leave out mail.server (MAIL_SERVER), or this',
  })
  .prefault({});

const notifySettings = z
  .strictObject({
    minScore: z
      .number()
      .min(0)
      .max(1)
      .default(0.5)
      .describe(
        'Minimum score, of the match or of its phenotypes alone, to report patients that share no gene (0 to 1).',
      ),
  })
  .prefault({});

export type NotifySettings = z.output<typeof notifySettings>;
export type MailSettings = z.output<typeof mailSettings>;

// The matchmaker's settings for ontology, genes, chain files and mappings of diseases.

const address = z.url({ protocol: /^https?$/ });

export const resourceSettings = z
  .strictObject({
    check: z
      .number()
      .positive()
      .max(86_400)
      .default(10)
      .describe('Seconds between checks of the storage for resources that another process has loaded.'),
    ontology: address.default('https://purl.obolibrary.org/obo/hp.json').describe('HPO as hp.json or hp.obo.'),
    annotations: address
      .default('https://purl.obolibrary.org/obo/hp/hpoa/phenotype.hpoa')
      .describe('Disease annotations: phenotype.hpoa.'),
    genes: address
      .default('https://storage.googleapis.com/public-download-files/hgnc/tsv/tsv/hgnc_complete_set.txt')
      .describe('The complete set of HGNC.'),
    chains: z
      .array(address)
      .max(2)
      .default(
        ['GRCh37_to_GRCh38', 'GRCh38_to_GRCh37'].map(
          (name) => `https://ftp.ensembl.org/pub/assembly_mapping/homo_sapiens/${name}.chain.gz`,
        ),
      )
      .describe('Chain files of Ensembl, for both directions.'),
    diseases: address
      .or(z.literal(false))
      .default('https://purl.obolibrary.org/obo/mondo.json')
      .describe('MONDO as mondo.json or an SSSOM table, whose mappings tell which ids are one disease; false: none.'),
    timeout: z.int().min(1).default(600).describe('Seconds for downloading each file.'),
  })
  .prefault({})
  .describe(
    'Addresses from which `update resources --download` fetches ontology, genes, chain files and mappings of diseases. Nothing else fetches them.',
  );

export type ResourceSettings = z.output<typeof resourceSettings>;

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
