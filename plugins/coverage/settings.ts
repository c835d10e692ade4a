/**
 * The coverage plugin's section of the configuration, with the parts on loading intervals and on asking another system who may
 * see which sample.
 */
import { z } from 'zod';
import { directoriesSetting } from '../../core/files.js';
import { bucketsSetting, hostPattern, uploadPlace } from '../../core/outgoing.js';
import { addressSetting, exposureSetting, optionalSection } from '../../core/plugin.js';
import { geneIntervalTypes } from './measure/select.js';
import { mostSplice, usualSplice } from './measure/transcripts.js';

// The setting `authorize`: a system outside that decides who may see which sample.

const authorizeSetting = z
  .strictObject({
    url: addressSetting.describe(
      'Where it is asked, by POST: https, or http on this machine. It answers as the access evaluations endpoint of the ' +
        'OpenID AuthZEN Authorization API 1.0 does.',
    ),
    secret: z
      .string()
      .min(16, 'must have at least 16 characters')
      .max(1000)
      .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without blanks, as it is sent in a header')
      .describe('Secret by which it knows this server, sent as a bearer token; best from a secret file.'),
    timeout: z.number().min(0.1).max(30).default(5).describe('Seconds in which it must answer.'),
    cache: z
      .number()
      .min(0)
      .max(60)
      .default(30)
      .describe(
        'Seconds for which an answer holds, whether yes or no: a withdrawal takes effect after that; 0 asks each time.',
      ),
  })
  .describe(
    'Asks a system outside, such as the case system of the laboratory, whether a person may see a sample, before people get ' +
      'anything about it. Narrows what `auth.roles` and `auth.tenants` allow; without these it alone decides. API tokens and ' +
      'tickets are not asked about. Off if omitted.',
  );

export type AuthorizeSettings = z.output<typeof authorizeSetting>;

// How intervals are loaded: part of the coverage plugin's section of the configuration.

const intervalSettings = z.strictObject({
  httpLoading: z
    .boolean()
    .default(false)
    .describe(
      'Whether POST /intervals/load/… exists: it loads files under `roots` or uploads, for tokens of the scope coverage:load.',
    ),
  maxShrink: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe(
      'Fraction by which a new set may be smaller than the set that it replaces. A smaller one is refused unless forced, ' +
        'because its file may be cut short.',
    ),
  listLimit: z
    .int()
    .min(1)
    .default(5_000_000)
    .describe('Rows of the longest list of intervals; longer ones end there.'),
  uploads: uploadPlace
    .default('data/interval-uploads')
    .describe(
      'Where uploaded interval files stay until they are loaded: a folder, relative to the one that the server is started in, ' +
        'or s3://bucket/prefix/. Servers that share a database share it too.',
    ),
  uploadLimit: z
    .int()
    .min(1)
    .default(1024 ** 3)
    .describe('Largest uploaded interval file in bytes. It must arrive within http.requestTimeout.'),
});

const level = z.int().min(1).max(1_000_000);
const levels = z
  .array(level)
  .min(1)
  .max(20)
  .transform((list) => [...new Set(list)].sort((a, b) => a - b));

const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const;

const oidc = z
  .strictObject({
    jwksUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("Address of the identity provider's JSON Web Key Set. With `audience` it switches token checks on."),
    audience: z.string().min(1).optional().describe('The `aud` that an access token must have.'),
    issuer: z
      .string()
      .min(1)
      .optional()
      .describe('The `iss` that a token must have; if omitted, any issuer whose keys are in the key set.'),
    algorithms: z
      .array(z.enum(algorithms))
      .min(1)
      .default(['RS256', 'PS256', 'ES256', 'EdDSA'])
      .describe('Signature algorithms that are accepted.'),
    clockTolerance: z.int().min(0).max(300).default(5).describe('Seconds by which clocks may differ.'),
    timeout: z.int().min(1).max(60).default(5).describe('Seconds in which the keys must arrive.'),
    cooldown: z.int().min(1).max(3600).default(30).describe('Least number of seconds between two fetches of the keys.'),
  })
  .superRefine(({ jwksUrl, audience }, context) => {
    const missing = (path: string, sentence: string) =>
      context.addIssue({ code: 'custom', path: [path], message: sentence });
    if (jwksUrl !== undefined && audience === undefined) {
      missing('audience', 'is missing (AUDIENCE), while jwksUrl (JWKS_URL) is set: token checks need both');
    }
    if (audience !== undefined && jwksUrl === undefined) {
      missing('jwksUrl', 'is missing (JWKS_URL), while audience (AUDIENCE) is set: token checks need both');
    }
  });

export const coverageSettings = z.strictObject({
  roots: directoriesSetting.describe(
    'Directories with the D4, BED and interval files that requests may name; as text, separated by colons.',
  ),
  hosts: z
    .array(z.string().regex(hostPattern, 'a host is written as storage.example.org, *.example.org or 10.0.0.5:9000'))
    .default([])
    .describe(
      'Hosts whose http(s) URLs requests may name, with the port if it is not the default one. A host in a private ' +
        'network is reached only if it is named here itself, not by a pattern (*.example.org).',
    ),
  buckets: bucketsSetting.describe(
    'Beginnings of the names of D4 files in S3 that requests may name: s3://bucket/ or s3://bucket/cases/. The section `s3` ' +
      'says how they are reached.',
  ),
  oidc: oidc.prefault({}).describe('Access tokens of an identity provider; no token is needed if nothing is set.'),
  tokenFields: z
    .array(
      z.string().regex(/^[A-Za-z][\w-]{0,63}$/, 'a field is written in letters, digits, - and _, such as id_token'),
    )
    .max(4)
    .refine((names) => !names.includes('access_token'), 'access_token is always read')
    .default([])
    .describe(
      'Further form fields (and cookies) of the pages that may hold a token, after `access_token`. Scout sends its ' +
        'users\u2019 ID token as `id_token`; none by default, because an ID token says who a user is, not what they may do.',
    ),
  acceptIdTokens: z
    .boolean()
    .default(false)
    .describe(
      'Whether ID tokens for `oidc.audience` are accepted wherever an access token is, in forms, cookies and ' +
        '`Authorization: Bearer`, to read coverage. Scout sends its users\u2019 ID token in both. To register and list ' +
        'samples an ID token is never accepted.',
    ),
  tickets: z
    .strictObject({
      key: z
        .string()
        .min(32)
        .describe('Secret of at least 32 characters with which tickets are encrypted, the same on all servers.'),
    })
    .optional()
    .describe(
      'Tickets, with which programs that send no access token admit their users to reports on certain samples; off if omitted.',
    ),
  authorize: optionalSection(() => authorizeSetting),
  reports: z
    .strictObject({
      keep: z
        .enum(['asked', 'all'])
        .default('asked')
        .describe(
          '`asked`: what a form asks to be kept (`keep`); `all`: every report (`/report`), and what a form asks for.',
        ),
      days: z
        .int()
        .min(1)
        .max(36_500)
        .describe('Days for which they are kept; then they are deleted. As long as your law asks for.'),
    })
    .optional()
    .describe('Keeps reports, so that they can be opened again as they were sent; none is kept if omitted.'),
  demoPages: exposureSetting('The demo pages (/report/demo and the others), which exist if `demo` is on'),
  levels: z
    .union([
      z
        .string()
        .transform((text) => text.replace(/^\s*\[|\]\s*$/g, '').split(','))
        .pipe(z.array(z.string().trim().regex(/^\d+$/, 'levels are whole numbers, such as 10,15,20').transform(Number)))
        .pipe(levels),
      levels,
    ])
    .default([10, 15, 20, 50, 100])
    .describe('Depths for which reports state the completeness, unless a request names others; as text, 10,15,20.'),
  defaultIntervals: z
    .enum(geneIntervalTypes)
    .optional()
    .describe(
      'Which bases of genes reports count unless a request says it. If omitted: coding bases in reports that people make (the ' +
        'form, the demo), and the whole span of genes for programs that send a form without interval_type, as chanjo2 has it.',
    ),
  spliceBases: z
    .int()
    .min(0)
    .max(mostSplice)
    .default(usualSplice)
    .describe(
      'Bases of an intron that are counted with coding bases, wherever a coding segment ends at the intron; 8 is the splice region ' +
        'of the Sequence Ontology.',
    ),
  sex: z
    .strictObject({
      male: z.number().positive().default(12).describe('Greatest ratio of X to Y of a male.'),
      female: z.number().positive().default(100).describe('Least ratio of X to Y of a female.'),
      evidence: z
        .number()
        .min(0)
        .max(1)
        .default(0.005)
        .describe('Fraction of X outside the PARs that must have a depth above 0; with less the sex is unknown.'),
    })
    .refine(({ male, female }) => male <= female, {
      path: ['female'],
      error: 'is less than the ratio for male',
    })
    .prefault({})
    .describe('How the sex is predicted from the mean depths of X and Y.'),
  singleCopyThreshold: z
    .enum(['same', 'half'])
    .default('same')
    .describe(
      'By which depth reports mark values where a sample has one copy (X and Y of a male, outside the PARs): the coverage ' +
        'threshold, or half of it, rounded up. Lists, counts, requirements, known sites, FHIR and callability keep the threshold.',
    ),
  aneuploidy: z
    .enum(['right', 'everyone', 'nobody'])
    .default('right')
    .describe(
      'Who sees aneuploidies of the sex chromosomes in reports: callers with the right `coverage:aneuploidy`, every reader (for ' +
        'servers without tokens), or nobody. Others read "not stated", and no depths of X and Y of such a sample.',
    ),
  files: z
    .strictObject({
      open: z.int().min(1).max(1024).default(16).describe('D4 files kept open.'),
      memory: z
        .int()
        .min(2 ** 20)
        .default(256 * 2 ** 20)
        .describe('Bytes kept of open files.'),
      threads: z.int().min(1).max(64).optional().describe('Threads for long work; up to four if omitted.'),
      listed: z
        .int()
        .min(0)
        .max(10_000)
        .default(1000)
        .describe(
          'D4 files under `roots`, and registered samples, that the forms offer by name, to clients that may open them; 0 offers none.',
        ),
      timeout: z.int().min(1).max(600).default(30).describe('Seconds in which a host must answer one request.'),
    })
    .prefault({})
    .describe('D4 files that are being read.'),
  limits: z
    .strictObject({
      samples: z.int().min(1).default(50).describe('Samples in one request.'),
      genes: z.int().min(1).default(10_000).describe('Genes in one request.'),
      thresholds: z.int().min(1).default(50).describe('Thresholds in one request.'),
      intervals: z.int().min(1).default(500_000).describe('Lines of a BED file.'),
      counts: z
        .int()
        .min(1)
        .default(10_000_000)
        .describe('Counts in one request: intervals × samples × (thresholds + 1).'),
      gaps: z.int().min(1).default(100_000).describe('Regions below a threshold for one sample.'),
      upload: z
        .int()
        .min(1)
        .default(64 * 2 ** 20)
        .describe('Bytes of an uploaded BED file, and of any BED file once decompressed.'),
    })
    .prefault({})
    .describe('Limits of one request.'),
  samples: z
    .strictObject({
      thresholds: z
        .array(z.int().min(1).max(1_000_000))
        .min(1)
        .max(4)
        .transform((list) => [...new Set(list)].sort((a, b) => a - b))
        .default([10])
        .describe(
          'Depths for which the covered regions of registered samples are stored. An exome takes about 1 MB for each, a 30x ' +
            'genome a few MB at 10 and about 30 MB at 20: the nearer to the mean depth, the more.',
        ),
      memory: z
        .int()
        .min(2 ** 20)
        .default(64 * 2 ** 20)
        .describe(
          'Bytes kept of covered regions that were read last, to answer which samples are covered at a position.',
        ),
      tracks: z
        .boolean()
        .default(true)
        .describe(
          'Whether the covered regions of many samples are also stored together (callable tracks), which take about as much space ' +
            'again and answer many positions at once two to three times as fast. The answers are the same.',
        ),
      recheckHours: z
        .int()
        .min(1)
        .max(8760)
        .default(24)
        .describe('Hours after which the files of all registered samples are checked for changes again.'),
    })
    .prefault({})
    .describe('Samples that the server knows.'),
  cohorts: z
    .strictObject({
      thresholds: levels
        .optional()
        .describe(
          'Depths for which the completeness of registered samples is kept, to compare samples with each other; `levels` if omitted.',
        ),
    })
    .prefault({})
    .describe('The values of registered samples at all genes, transcripts and exons.'),
  intervals: intervalSettings.prefault({}).describe('How genes, transcripts and exons are loaded.'),
});

export type CoverageSettings = z.output<typeof coverageSettings>;
