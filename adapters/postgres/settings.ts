/** What the `postgres` adapter may be set to, and what of it may be shown. */
import { z } from 'zod';
import { decoded, urlMistake } from './url.js';

const milliseconds = z.int().min(0).max(86_400_000);

const url = z.string().superRefine((text, context) => {
  const mistake = urlMistake(text);
  if (mistake !== undefined) context.addIssue({ code: 'custom', message: mistake });
});

export const settings = z.strictObject({
  url: url
    .optional()
    .describe(
      'The whole address, postgres://user:password@host:port/database; what it says wins over the settings below.',
    ),
  host: z.string().min(1).default('localhost').describe('Name or address, or the folder of a Unix socket.'),
  port: z.int().min(1).max(65_535).default(5432),
  database: z.string().min(1).default('trefoil'),
  user: z.string().min(1).default('trefoil'),
  password: z.string().optional().describe('Best kept in a file of its own and read from there.'),
  ssl: z
    .union([
      z.boolean(),
      z.strictObject({
        ca: z.string().optional().describe('Certificates to trust, as PEM text.'),
        cert: z.string().optional().describe('Our own certificate, as PEM text.'),
        key: z.string().optional().describe('Its key, as PEM text.'),
        servername: z.string().optional(),
        rejectUnauthorized: z.boolean().default(true).describe('False accepts any certificate: for tests only.'),
      }),
    ])
    .optional()
    .describe('TLS: true checks the certificate against those that Node trusts. Where absent, PGSSLMODE decides.'),
  replica: z
    .strictObject({
      url: url.optional().describe('Its whole address; what it does not say is as on the primary.'),
      host: z.string().min(1).optional(),
      port: z.int().min(1).max(65_535).optional(),
      maxStaleness: milliseconds
        .default(2000)
        .describe('Milliseconds after which answers hold what other processes wrote; else the primary is asked.'),
    })
    .refine(({ url, host, port }) => url !== undefined || host !== undefined || port !== undefined, {
      message: 'needs a url, or a host or port that differ from those of the primary',
    })
    .optional()
    .describe('A streaming replica that answers reads, while it has all that this process has seen.'),
  pool: z
    .strictObject({
      min: z.int().min(0).max(1000).default(0).describe('Connections that are kept open.'),
      max: z.int().min(1).max(1000).default(10).describe('Connections at most.'),
    })
    .refine(({ min, max }) => min <= max, 'min must not be above max')
    .prefault({})
    .describe('Connections of this process.'),
  connectTimeout: milliseconds.min(1).default(5000).describe('Milliseconds for which a connection is tried.'),
  statementTimeout: milliseconds
    .default(60_000)
    .describe('Milliseconds after which the database ends a statement; 0 never. Migrations are not limited.'),
  applicationName: z.string().min(1).max(63).default('trefoil').describe('How we appear in pg_stat_activity.'),
});

export type PostgresSettings = z.output<typeof settings>;

/** Host, port, database and user after the URL has had its say, its parameters first, as `pg` reads it; never the password. */
export interface Address {
  host: string;
  port: number;
  database: string;
  user: string;
}

export function addressOf({ url, host, port, database, user }: PostgresSettings): Address {
  if (url === undefined) return { host, port, database, user };
  const parsed = new URL(url);
  const query = parsed.searchParams;
  return {
    host: query.get('host') || decodeURIComponent(parsed.hostname) || host,
    port: Number(query.get('port') || parsed.port || port),
    database: decodeURIComponent(parsed.pathname.slice(1)) || database,
    user: query.get('user') || decodeURIComponent(parsed.username) || user,
  };
}

/** The settings with which the replica is reached; undefined where there is none. */
export function replicaOf({ replica, url, ...settings }: PostgresSettings): PostgresSettings | undefined {
  if (replica === undefined) return undefined;
  const primary = { ...settings, ...(url === undefined ? {} : { url }) };
  const address = addressOf(primary);
  const written = url === undefined ? undefined : new URL(url).password;
  // A lone % is taken as it is, which `pg` does too.
  const password = written && (decoded(written) ?? written);
  return {
    ...settings,
    ...address,
    ...(password ? { password } : {}),
    host: replica.host ?? address.host,
    port: replica.port ?? address.port,
    ...(replica.url === undefined ? {} : { url: replica.url }),
  };
}

/** `database trefoil on db.example:5432`, for messages and descriptions. */
export function showAddress({ host, port, database }: Address): string {
  return `database ${database} on ${host}:${port}`;
}
