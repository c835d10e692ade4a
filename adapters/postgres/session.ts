/**
 * What our connections keep in the server between transactions: prepared statements and a time limit. If they go through a
 * pool such as PgBouncer in transaction mode, each transaction may run on another connection of the server, and nothing is
 * kept. A connection is recognised by its process: a pool does not reveal the server's.
 */
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { Fault, outage, type StorageLog } from '../../core/storage.js';
import { type Address, type PostgresSettings, showAddress } from './settings.js';

/** Properties of a `pg` connection that its types do not declare. */
type Link = Client & {
  processID?: number | null;
  connectionParameters: { options?: string; statement_timeout?: number | string | false };
};

/** The part of Knex's client that makes connections. */
interface Maker {
  acquireRawConnection(): Promise<Link>;
}

/** Connections that keep nothing between transactions. */
const pooled = new WeakSet<object>();

/** Whether statements must not stay prepared on this connection. */
export function isPooled(connection: object): boolean {
  return pooled.has(connection);
}

export interface Greeting {
  settings: PostgresSettings;
  log: StorageLog;
  /** The address if it must lead to the primary. */
  primary: Address | undefined;
}

/** Makes a Knex find out of each new connection whether it keeps a session, and limit its statements if it does. */
export function greeting(knex: Knex, { settings, log, primary }: Greeting): Knex {
  const maker = knex.client as Maker;
  const make = maker.acquireRawConnection.bind(maker);
  let told = false;
  maker.acquireRawConnection = async () => {
    const link = await make();
    try {
      const { own, standby } = await ask(link, settings);
      if (standby && primary) refuseStandby(primary);
      if (own) return link;
      refuseOptions(link);
    } catch (error) {
      await link.end().catch(() => undefined);
      throw error;
    }
    pooled.add(link);
    if (!told) log.info({}, 'connections to the database go through a pool: statements are not kept prepared');
    told = true;
    return link;
  };
  return knex;
}

/**
 * Whether the connection keeps a session, and leads to a replica. One round trip for all: a setting must not be changed on
 * a connection of the server that others use as well.
 */
async function ask(
  link: Link,
  { pooled: given, statementTimeout }: PostgresSettings,
): Promise<{ own: boolean; standby: boolean }> {
  const own = given === undefined ? `pg_backend_pid() = ${Number(link.processID ?? 0)}` : String(!given);
  // A limit in the URL takes precedence.
  const isLimited = given !== true && statementTimeout > 0 && !link.connectionParameters.statement_timeout;
  const limit = isLimited
    ? `, case when ${own} then set_config('statement_timeout', '${statementTimeout}', false) end`
    : '';
  const { rows } = await link.query<{ own: boolean; standby: boolean }>(
    `select ${own} as own, pg_is_in_recovery() as standby${limit}`,
  );
  return { own: rows[0]?.own === true, standby: rows[0]?.standby === true };
}

/**
 * A proxy may still lead to a former primary that is a replica by now, whose state may be older than what this process
 * has seen. Once connected, a primary closes its connections before it becomes a replica.
 */
function refuseStandby(address: Address): never {
  throw outage(`The PostgreSQL ${showAddress(address)} is a replica at the moment`);
}

/** A pool that does not refuse options ignores them: a search path among them would lead to other tables. */
function refuseOptions({ connectionParameters: { options } }: Link): void {
  if (!options) return;
  throw new Fault(
    'unprocessable',
    'The database is reached through a connection pool, which does not pass on `options` (of the URL or PGOPTIONS): ' +
      'set them with `alter role … set …`',
  );
}

/** Refuses a pool behind which statements may run longer than the settings allow: only the server can end them there. */
export async function refuseUnlimited(link: Client, { statementTimeout }: PostgresSettings): Promise<void> {
  if (statementTimeout === 0 || !isPooled(link)) return;
  const { rows } = await link.query<{ limit: string; role: string }>(
    "select extract(epoch from current_setting('statement_timeout')::interval) * 1000 as limit, " +
      'quote_ident(current_user) as role',
  );
  const [{ limit = '0', role = '' } = {}] = rows;
  if (Number(limit) > 0 && Number(limit) <= statementTimeout) return;
  throw new Fault(
    'unprocessable',
    `The database is reached through a connection pool, where the server must limit statements to ${statementTimeout} ms: ` +
      `run \`alter role ${role} set statement_timeout = ${statementTimeout}\` and \`RECONNECT\` in PgBouncer's console, ` +
      'or set `statementTimeout: 0`',
  );
}
