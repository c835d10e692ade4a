/** The coverage plugin's section of the configuration. */
import { z } from 'zod';
import { directoriesSetting } from '../../core/files.js';
import { exposureSetting } from '../../core/plugin.js';
import { intervalSettings } from './intervals/settings.js';
import { hostPattern } from './sources/hosts.js';

const level = z.int().min(1).max(1_000_000);
const levels = z
  .array(level)
  .min(1)
  .max(20)
  .transform((list) => [...new Set(list)].sort((a, b) => a - b));

export const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

const oidc = z
  .strictObject({
    jwksUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("Address of the identity provider's JSON Web Key Set. With `audience` it switches token checks on."),
    audience: z.string().min(1).optional().describe('What the `aud` of an access token must be.'),
    issuer: z
      .string()
      .min(1)
      .optional()
      .describe('What the `iss` of a token must be; any issuer whose keys are in the key set if omitted.'),
    algorithms: z
      .array(z.enum(algorithms))
      .min(1)
      .default(['RS256', 'PS256', 'ES256', 'EdDSA'])
      .describe('Signature algorithms that are accepted.'),
    clockTolerance: z.int().min(0).max(300).default(5).describe('Seconds by which clocks may differ.'),
    timeout: z.int().min(1).max(60).default(5).describe('Seconds in which the keys must arrive.'),
    cooldown: z.int().min(1).max(3600).default(30).describe('Seconds between two fetches of the keys at least.'),
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
    'Directories whose D4, BED and interval files may be named in requests; as a text, joined by colons.',
  ),
  hosts: z
    .array(z.string().regex(hostPattern, 'a host is written as storage.example.org, *.example.org or 10.0.0.5:9000'))
    .default([])
    .describe(
      'Hosts whose http(s) addresses may be named in requests, with the port where it is not the usual one. A host in ' +
        'private networks is reached if it is named here itself, not by a pattern (*.example.org).',
    ),
  oidc: oidc.prefault({}).describe('Access tokens of an identity provider; no token is needed where nothing is set.'),
  tokenFields: z
    .array(
      z.string().regex(/^[A-Za-z][\w-]{0,63}$/, 'a field is written in letters, digits, - and _, such as id_token'),
    )
    .max(4)
    .refine((names) => !names.includes('access_token'), 'access_token is looked for in any case')
    .default([])
    .describe(
      'Further form fields (and cookies) of the pages in which a token may come, after `access_token`. Scout sends its ' +
        'users\u2019 ID token as `id_token`; none by default, because an ID token says who somebody is and not what they may do.',
    ),
  demoPages: exposureSetting('The demo pages (/report/demo and its like), which are there where `demo` is on'),
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
    .describe('Depths for which reports state the completeness unless a request names others; as a text, 10,15,20.'),
  sex: z
    .strictObject({
      male: z.number().positive().default(12).describe('Greatest ratio of X to Y that is male.'),
      female: z.number().positive().default(100).describe('Least ratio of X to Y that is female.'),
      evidence: z
        .number()
        .min(0)
        .max(1)
        .default(0.005)
        .describe('Share of X outside the PARs that must have been sequenced at all; below it the sex is unknown.'),
    })
    .refine(({ male, female }) => male <= female, {
      path: ['female'],
      error: 'is less than the ratio for male',
    })
    .prefault({})
    .describe('How the sex is told from the mean depths of X and Y.'),
  files: z
    .strictObject({
      open: z.int().min(1).max(1024).default(16).describe('D4 files kept open.'),
      memory: z
        .int()
        .min(2 ** 20)
        .default(256 * 2 ** 20)
        .describe('Bytes kept of open files.'),
      threads: z.int().min(1).max(64).optional().describe('Threads for long work; where absent, up to four.'),
      listed: z
        .int()
        .min(0)
        .max(10_000)
        .default(1000)
        .describe('D4 files under `roots` whose names the forms offer, to clients that may open them; 0 offers none.'),
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
        .describe('Counts in one request: intervals times samples, times one more than thresholds.'),
      gaps: z.int().min(1).default(100_000).describe('Stretches below a threshold for one sample.'),
      upload: z
        .int()
        .min(1)
        .default(64 * 2 ** 20)
        .describe('Bytes of an uploaded BED file, and of any BED file once decompressed.'),
    })
    .prefault({})
    .describe('What one request may ask for.'),
  intervals: intervalSettings.prefault({}).describe('How genes, transcripts and exons are loaded.'),
});

export type CoverageSettings = z.output<typeof coverageSettings>;
