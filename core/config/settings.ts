/**
 * The core's own sections of the configuration: log, jobs, audit, erasures, tracing and those that are declared beside their
 * code. Adapters and plugins declare theirs.
 */
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { authSettings } from '../auth/settings.js';
import { httpSettings } from '../http/settings.js';
import { logLevels } from '../lazy-log.js';
import { s3Settings, uploadPlace } from '../outgoing/s3/settings.js';
import { optionalSection } from '../schema.js';

// The `audit` section of the configuration.

const destination = z.union([
  uploadPlace,
  z.strictObject({
    command: z
      .array(z.string().min(1))
      .min(1)
      .describe('A program and its arguments, run without a shell. It gets the checkpoint on standard input.'),
    seconds: z.int().min(1).max(3600).default(60).describe('Time after which the program is ended.'),
  }),
]);

/** A folder, a prefix in S3, or a command. */
export type CheckpointDestination = z.output<typeof destination>;

const auditSettings = z.strictObject({
  key: z
    .string()
    .min(32, 'must have at least 32 characters; `openssl rand -base64 32` makes such a key')
    .max(1000)
    .describe(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: how a configuration names a file
      'Secret of at least 32 characters, such as ${file:/run/secrets/audit-key}: it encrypts the names in the audit and seals its ' +
        'chains. All servers of one storage need the same; without it names cannot be read any more.',
    ),
  checkpoints: z
    .strictObject({
      to: z
        .array(destination)
        .min(1)
        .describe('Folders (best of another machine), prefixes such as s3://bucket/audit/, or commands.'),
      everyMinutes: z.int().min(1).max(10_080).default(60).describe('Minutes between two checkpoints.'),
    })
    .optional()
    .describe('Where servers store checkpoints at each interval and when they stop; nowhere if omitted.'),
  keepDays: z.int().min(0).max(36_500).default(0).describe('Days for which entries are kept; 0 keeps them for ever.'),
});

export type AuditSettings = z.output<typeof auditSettings>;

// Where the list of erasures is.

const erasureSettings = z.strictObject({
  file: z
    .string()
    .min(1)
    .refine(isAbsolute, 'must be written from the root on: commands and servers with other working folders share it')
    .optional()
    .describe(
      'The list of erasures and of objections to sharing: a file outside the database, which is replayed after an older ' +
        'backup was restored. All servers and commands on one database share it. If omitted, it is in a folder beside that of ' +
        'an embedded database, such as data-erasures for data; a database server has none.',
    ),
  key: z
    .string()
    .min(16)
    .optional()
    .describe(
      'The key under which ids on the list are encrypted, at least 16 characters, best from a secret file. If omitted, a random one is ' +
        'kept beside the list, in a file whose name ends in .key.',
    ),
});

// The `jobs` section of the configuration.

const seconds = z.number().positive().max(86_400);

export const jobSettings = z
  .strictObject({
    concurrency: z
      .int()
      .min(0)
      .max(64)
      .default(2)
      .describe('Jobs that this process runs at the same time; 0 for none.'),
    pollSeconds: seconds.default(1).describe('Seconds between checks for jobs that other processes queued.'),
    leaseSeconds: seconds
      .default(30)
      .describe('Seconds without a renewal after which another process may claim a running job.'),
    renewSeconds: seconds
      .default(10)
      .describe('Seconds between renewals of the lease of a running job; at most half of leaseSeconds.'),
    retrySeconds: seconds
      .default(5)
      .describe('Seconds before the second attempt; doubled for each further one, with jitter.'),
    retryMaxSeconds: seconds.default(900).describe('Longest delay between two attempts, in seconds.'),
    stopSeconds: seconds.default(10).describe('Seconds that running jobs have to stop at shutdown.'),
    keepDays: z.number().positive().max(3650).default(7).describe('Days for which finished jobs are kept.'),
  })
  .refine((jobs) => jobs.renewSeconds <= jobs.leaseSeconds / 2, {
    path: ['renewSeconds'],
    message: 'must be at most half of leaseSeconds, so that one renewal may fail',
    // Reported even if another key of the section is invalid.
    when: ({ value }) => {
      const { renewSeconds, leaseSeconds } = value as Record<string, unknown>;
      return typeof renewSeconds === 'number' && typeof leaseSeconds === 'number';
    },
  });

export type JobSettings = z.output<typeof jobSettings>;

// The section `tracing` of the configuration.

const tracingSettings = z.strictObject({
  endpoint: z
    .url({ protocol: /^https?$/ })
    .describe('Address that receives traces by OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces.'),
  token: z
    .string()
    .min(1)
    .optional()
    .describe('Sent to the endpoint as `Authorization: Bearer …`; read it from a file of secrets.'),
  service: z.string().min(1).default('trefoil').describe('Name of the service in traces.'),
  ratio: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Part of the traces that begin here that is recorded; others follow the decision of their caller.'),
});

export type TracingSettings = z.output<typeof tracingSettings>;

const logSettings = z.strictObject({
  level: z.enum(logLevels).default('info').describe('Least severe level that is written; the variable LOG_LEVEL wins.'),
});

export type LogSettings = z.output<typeof logSettings>;

export const coreSettings = z.strictObject({
  http: httpSettings.prefault({}).describe('The server: address, limits, timeouts and what browsers may do.'),
  auth: optionalSection(() => authSettings).describe(
    'Who is recognised besides the holders of API tokens; nobody if omitted.',
  ),
  storage: z
    .looseObject({
      adapter: z.string().min(1).describe('Name of a built-in adapter, or path or npm package of another.'),
    })
    .describe('Where the data is stored; the other keys are the settings of the adapter.'),
  migrate: z
    .enum(['auto', 'manual'])
    .optional()
    .describe(
      'Whether the server runs pending migrations itself, or refuses to start until `trefoil migrate` has ' +
        'run. If omitted: auto for an embedded database, manual for a database server.',
    ),
  demo: z.boolean().default(false).describe('Whether plugins fill an empty storage with demo data.'),
  log: logSettings.prefault({}).describe('The log, one JSON object per line.'),
  jobs: jobSettings.prefault({}).describe('Background jobs.'),
  tracing: optionalSection(() => tracingSettings).describe(
    'Traces of requests, jobs and calls of the storage by OpenTelemetry; none if omitted.',
  ),
  audit: optionalSection(() => auditSettings).describe(
    'The audit: who asked for whose data. Nothing is recorded if omitted; see config/audit.md.',
  ),
  erasures: optionalSection(() => erasureSettings).describe('Erasures of people, and their objections to sharing.'),
  s3: s3Settings.describe(
    'Buckets in S3 and how each is reached. Requests may name only objects that a plugin\u2019s `buckets` allow, too.',
  ),
  plugins: z
    .record(z.string().min(1), z.looseObject({}).nullable())
    .describe('The enabled plugins with their settings, by built-in name, path or npm package.'),
});

export type CoreSettings = z.output<typeof coreSettings>;
