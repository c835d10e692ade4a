/**
 * The settings of the `postgres` adapter, the part of them that may be shown, and what is wrong with a database URL, in words
 * that repeat no part of it, since it may contain a password.
 */
import { z } from 'zod';

// What is wrong with a database URL, in words that repeat no part of it, since it may contain a password.

const expected = 'expected postgres://user:password@host:port/database, with special characters as %XX';
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** The end of a sentence that begins with the setting's name; undefined if the URL is valid. */
function urlMistake(text: string): string | undefined {
  if (text !== text.trim()) return 'begins or ends with a blank';
  if (!URL.canParse(text)) return `${expected} (a / is %2F, an @ is %40, a # is %23)`;
  const { protocol, hash, username, hostname, pathname, searchParams } = new URL(text);
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') return expected;
  // A `#` in a password would cut the address short.
  if (hash !== '' || text.endsWith('#')) return `${expected}: a # cuts the address short; write it as %23`;
  for (const [part, value] of Object.entries({ user: username, host: hostname, database: pathname })) {
    if (decoded(value) === undefined) return `its ${part} holds a % that begins no escape; write it as %25`;
  }
  const port = searchParams.get('port');
  if (port !== null && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)) {
    return 'its port must be a whole number from 1 to 65535';
  }
  const mode = searchParams.get('sslmode');
  if (mode !== null && !sslModes.includes(mode)) return `its sslmode must be one of ${sslModes.join(', ')}`;
  return undefined;
}

/** The text with escapes decoded; undefined if one of them is invalid. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

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
  password: z.string().optional().describe('The password; best read from a file of its own (see config/install.md).'),
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
export interface ServerAddress {
  host: string;
  port: number;
  database: string;
  user: string;
}

export function addressOfServer({ url, host, port, database, user }: PostgresSettings): ServerAddress {
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
export function settingsOfReplica({ replica, url, ...settings }: PostgresSettings): PostgresSettings | undefined {
  if (replica === undefined) return undefined;
  const primary = { ...settings, ...(url === undefined ? {} : { url }) };
  const address = addressOfServer(primary);
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
export function showAddress({ host, port, database }: ServerAddress): string {
  return `database ${database} on ${host}:${port}`;
}
