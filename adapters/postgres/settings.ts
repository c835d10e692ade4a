/** The settings of the `postgres` adapter, and the part of them that may be shown. */
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
    .describe('The address, postgres://user:password@host:port/database; it takes precedence over the settings below.'),
  host: z.string().min(1).default('localhost').describe('Host name or address, or the folder of a Unix socket.'),
  port: z.int().min(1).max(65_535).default(5432),
  database: z.string().min(1).default('trefoil'),
  user: z.string().min(1).default('trefoil'),
  password: z.string().optional().describe('The password; best read from a file of its own (see config/README.md).'),
  ssl: z
    .union([
      z.boolean(),
      z.strictObject({
        ca: z.string().optional().describe('Trusted CA certificates, as PEM text.'),
        cert: z.string().optional().describe('The client certificate, as PEM text.'),
        key: z.string().optional().describe('The key of the client certificate, as PEM text.'),
        servername: z.string().optional(),
        rejectUnauthorized: z.boolean().default(true).describe('false accepts any certificate: for tests only.'),
      }),
    ])
    .optional()
    .describe('TLS: true verifies the certificate against the CAs that Node trusts. If omitted, PGSSLMODE decides.'),
  replica: z
    .strictObject({
      url: url.optional().describe('The address of the replica; what it omits is taken from the primary.'),
      host: z.string().min(1).optional(),
      port: z.int().min(1).max(65_535).optional(),
      maxStaleness: milliseconds
        .default(2000)
        .describe(
          'Milliseconds after which reads must include writes of other processes; otherwise the primary is read.',
        ),
    })
    .refine(({ url, host, port }) => url !== undefined || host !== undefined || port !== undefined, {
      message: 'needs a url, or a host or port that differ from those of the primary',
    })
    .optional()
    .describe('A streaming replica that serves reads while it has everything that this process has seen.'),
  pool: z
    .strictObject({
      min: z.int().min(0).max(1000).default(0).describe('Connections kept open when idle.'),
      max: z.int().min(1).max(1000).default(10).describe('The maximum number of connections.'),
    })
    .refine(({ min, max }) => min <= max, 'min must not be above max')
    .prefault({})
    .describe('The connection pool of this process.'),
  pooled: z
    .boolean()
    .optional()
    .describe(
      'Whether connections go through a pool that keeps no sessions, such as PgBouncer in transaction mode. If omitted, it is found out from each connection; false if a pool keeps sessions.',
    ),
  connectTimeout: milliseconds.min(1).default(5000).describe('Milliseconds in which a connection must be established.'),
  statementTimeout: milliseconds
    .default(60_000)
    .describe('Milliseconds after which the database cancels a statement; 0 for no limit. Migrations are not limited.'),
  applicationName: z.string().min(1).max(63).default('trefoil').describe('The application name in pg_stat_activity.'),
});

export type PostgresSettings = z.output<typeof settings>;

/** Host, port, database and user, with the URL and its parameters applied as `pg` does; never the password. */
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

/** The connection settings of the replica; undefined if there is none. */
export function replicaOf({ replica, url, ...settings }: PostgresSettings): PostgresSettings | undefined {
  if (replica === undefined) return undefined;
  const primary = { ...settings, ...(url === undefined ? {} : { url }) };
  const address = addressOf(primary);
  const written = url === undefined ? undefined : new URL(url).password;
  // A lone % is taken literally, as `pg` does.
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
