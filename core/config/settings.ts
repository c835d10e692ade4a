/** The core's own sections of the configuration. Adapters and plugins declare theirs. */
import { z } from 'zod';
import { auditSettings } from '../audit/settings.js';
import { authSettings } from '../auth/settings.js';
import { erasureSettings } from '../erasures/settings.js';
import { httpSettings } from '../http/settings.js';
import { jobSettings } from '../jobs/settings.js';
import { s3Settings } from '../outgoing/s3/settings.js';
import { tracingSettings } from '../tracing/settings.js';
import { logLevels } from './log-levels.js';
import { optionalSection } from './section.js';

export const logSettings = z.strictObject({
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
