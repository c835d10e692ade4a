/**
 * The connections to one PostgreSQL database, how they parse values, the cancelling of running statements, and the checks that
 * an ordinary user can run. Only this folder uses the pg module.
 */
import { once } from 'node:events';
import createKnex, { type Knex } from 'knex';
import pg, { type Client } from 'pg';
import { type Fault, isFault, outage, type StorageLog } from '../../core/storage.js';
import type { Scalar } from '../knex/binding.js';
import {
  type Connection,
  type Driver,
  discard,
  knexLog,
  onConnection,
  PreparedStatements,
  poolMetrics,
  sharing,
  soleConnection,
  stoppable,
} from '../knex/driver.js';
import { refusingUnstorable } from '../knex/rows.js';
import { postgresEngine, Shards } from './engine.js';
import { commit, isLostBefore, translator } from './errors.js';
import { createLineage, ServerLineage } from './lineage.js';
import { openReplica } from './replica.js';
import { greeting, isPooled, refuseUnlimited, watchPulse } from './session.js';
import { addressOfServer, type PostgresSettings, type ServerAddress, showAddress } from './settings.js';

/** Milliseconds that a statement waits for a free connection, in addition to the connect timeout. */
const queueTimeout = 15_000;
/** The oldest version of PostgreSQL that we support. */
const oldest = '14';
/** Milliseconds in which a healthy server answers. */
const pingTimeout = 3000;
/** Milliseconds between attempts to stop a statement. */
const stopAgain = 1000;
/** Key of the advisory lock for schema changes; an arbitrary constant. */
const schemaLock = 0x5472666c;

/** A statement that `pg` prepares once for each connection and name. */
interface PreparedQuery {
  name: string;
  text: string;
}

/** Names are never reused, so that a dropped statement and a new one cannot be confused. */
let prepared = 0;

const statements = new PreparedStatements<Client, PreparedQuery>(
  async (_, sql) => ({ name: `trefoil_${++prepared}`, text: numbered(sql) }),
  async (connection, { name }) => {
    await connection.query(`deallocate ${name}`);
  },
);

export async function openPostgres(settings: PostgresSettings, log: StorageLog): Promise<Driver> {
  const address = addressOfServer(settings);
  const translate = translator(address);
  const common: Knex.Config = {
    client: 'pg',
    // Statements in error messages keep their placeholders.
    compileSqlOnError: false,
    log: knexLog(log),
  };
  const lineage = new ServerLineage(showAddress(address), log, (work) =>
    onConnection(knex, (connection) => work(client(connection))),
  );
  const open = (chosen: PostgresSettings, meet: (connection: Client) => Promise<void>, primary?: ServerAddress) =>
    greeting(
      sharing(
        refusingUnstorable(
          createKnex({
            ...common,
            // Knex would query each server for it, to recognize those from before 9.2.
            version: oldest,
            connection: connectionOf(chosen),
            pool: { ...chosen.pool, afterCreate: metBy(meet) },
            acquireConnectionTimeout: chosen.connectTimeout + queueTimeout,
          }),
        ),
        chosen.pool.max,
        chosen.connectTimeout + queueTimeout,
      ),
      { settings: chosen, log, primary },
    );
  const knex = open(settings, (connection) => lineage.meet(connection), address);
  try {
    await ping(knex);
    await onConnection(knex, (connection) => refuseUnlimited(client(connection), settings));
  } catch (error) {
    await knex.destroy();
    throw unreachable(translate(error), address);
  }
  const engine = postgresEngine(translate);
  const shards = new Shards(knex);
  /** A connection that died unnoticed, as all do in a failover, is replaced once. */
  const readPrimary: Driver['reading'] = async (work) => {
    let again = true;
    const once = () => {
      again = false;
    };
    const attempt = () => onConnection(knex, (connection) => work(connection, { engine, once }));
    try {
      return await attempt();
    } catch (error) {
      if (!again || !isLostBefore(error)) throw error;
      return attempt();
    }
  };
  const replica = openReplica(settings, {
    primary: knex,
    readPrimary,
    open: (chosen) => open(chosen, (connection) => lineage.meetReplica(connection)),
    log,
  });
  const pulses = [knex, ...(replica ? [replica.knex] : [])].map((each) => watchPulse(each, log));
  return {
    engine,
    read: knex,
    write: knex,
    latest: knex,
    reading: replica?.reading ?? readPrimary,
    ...(replica === undefined ? {} : { touched: replica.touched }),
    bind: (connection, ready) =>
      refusingUnstorable(createKnex({ ...common, connectionPool: soleConnection(connection, ready) })),
    begin: async (connection, kind) => {
      await client(connection).query(kind === 'write' ? 'begin' : 'begin isolation level repeatable read, read only');
    },
    commit: (connection, kind) =>
      commit(client(connection), address, { isPositioned: kind === 'write' && replica !== undefined }),
    rollback: async (connection) => {
      await client(connection).query('rollback');
    },
    fetch: async <Row>(connection: Connection, sql: string, bindings: readonly Scalar[], signal?: AbortSignal) => {
      const link = client(connection);
      const statement = isPooled(link) ? { text: numbered(sql) } : await statements.get(link, sql);
      const run = async () => (await link.query({ ...statement, values: [...bindings] })).rows as Row[];
      if (signal === undefined) return run();
      const stop = () => {
        // The cancellation may arrive late, and must not hit another statement.
        discard(connection, 'a statement was stopped');
        void cancel(link, log);
      };
      return stoppable(signal, run, stop, stopAgain);
    },
    metrics: () => [
      ...poolMetrics({ primary: knex, ...(replica === undefined ? {} : { replica: replica.knex }) }),
      ...(replica?.metrics() ?? []),
    ],
    tables: async (on) => {
      const { rows } = await on.raw<{ rows: { table: string; columns: string[] }[] }>(
        `select c.relname as "table", array_agg(a.attname::text order by a.attnum) as columns
         from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         group by c.relname order by c.relname`,
      );
      return new Map(rows.map(({ table, columns }) => [table, columns]));
    },
    // Released when the transaction ends, even if this process is killed. Waiting for it may take long.
    lockSchema: async (on) => {
      await on.raw('set local statement_timeout = 0');
      await on.raw('select pg_advisory_xact_lock(?)', [schemaLock]);
    },
    lineage,
    prepareLineage: async (on) => {
      await on.raw(createLineage);
    },
    ping: async () => {
      try {
        await ping(knex);
      } catch (error) {
        if (replica === undefined) throw error;
        // During a failover reads continue, as long as the replica may serve them.
        await replica.reading(async (connection) => void (await client(connection).query('select 1')));
      }
    },
    parts: () => shards.answering(),
    isLost: isLostBefore,
    verify,
    close: async () => {
      for (const end of pulses) end();
      await replica?.close();
      await knex.destroy();
    },
  };
}

function client(connection: Connection): Client {
  return connection as Client;
}

/** Closes a new connection that must not be used. */
function metBy(meet: (connection: Client) => Promise<void>) {
  return (connection: Client, done: (error: unknown, connection: Client) => void): void => {
    meet(connection).then(
      () => done(undefined, connection),
      (error) => connection.end(() => done(error, connection)),
    );
  };
}

async function ping(knex: Knex): Promise<void> {
  await knex.raw('select 1').timeout(pingTimeout);
}

function connectionOf({ url, ...settings }: PostgresSettings) {
  return {
    ...(url === undefined ? {} : { connectionString: url }),
    host: settings.host,
    port: settings.port,
    database: settings.database,
    user: settings.user,
    password: settings.password,
    ssl: settings.ssl,
    application_name: settings.applicationName,
    connectionTimeoutMillis: settings.connectTimeout,
    // Detects a server that vanished even while nothing is sent.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types,
  };
}

/** Any error on the first connection, such as an invalid certificate, means that the database is unavailable. */
function unreachable(error: Error, address: ServerAddress): Fault {
  if (isFault(error)) return error;
  const [reason] = error.message.split('\n', 1);
  return outage(`The PostgreSQL ${showAddress(address)} cannot be used: ${reason}`, error);
}

/** Replaces `?` by `$1`, `$2`, …; our statements use `?` only as a placeholder. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${++count}`);
}

// How our connections parse values from PostgreSQL.

const { builtins, getTypeParser } = pg.types;

/** 64-bit integers as numbers; one beyond 2^53 is an error and never rounded. */
function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('A whole number beyond 2^53 came out of the database');
  return value;
}

/** JSON stays text until a repository parses it; otherwise a text `null` or `"1"` would be ambiguous. */
const asText = (text: string) => text;

const types = {
  getTypeParser(type: number, format?: 'text' | 'binary') {
    if (format !== 'binary') {
      if (type === builtins.INT8) return wholeNumber;
      if (type === builtins.JSON || type === builtins.JSONB) return asText;
    }
    return getTypeParser(type, format as 'text');
  },
};

// Cancels the running statement of a connection, over a second one since the first is busy: with the message that the
// protocol has for it (PostgreSQL documentation, "Canceling Requests in Progress"), which connection pools pass on.

/** Milliseconds in which the request must be delivered. */
const patience = 5000;

/** Properties of a `pg` connection that its types do not declare. */
type CancelledClient = pg.Client & {
  processID?: number | null;
  secretKey?: number | null;
  connectionParameters: { sslnegotiation?: string };
};

type Wire = pg.Connection & {
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
};

/** Never throws: if the server accepts no more connections, the statement ends at its timeout. */
async function cancel(connection: pg.Client, log: Pick<StorageLog, 'warn'>): Promise<void> {
  const { host, port, ssl, processID, secretKey, connectionParameters } = connection as CancelledClient;
  const { sslnegotiation: sslNegotiation } = connectionParameters;
  const wire = new pg.Connection({ ssl, ...(sslNegotiation && { sslNegotiation }) }) as Wire;
  const delivered = once(wire, 'end', { signal: AbortSignal.timeout(patience) });
  if (ssl && sslNegotiation !== 'direct') wire.once('connect', () => wire.requestSsl());
  // The server answers by closing the connection.
  wire.once(ssl ? 'sslconnect' : 'connect', () => wire.cancel(processID ?? 0, secretKey ?? 0));
  if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`);
  else wire.connect(port, host);
  try {
    await delivered;
  } catch (error) {
    log.warn({ reason: error instanceof Error ? error.name : 'unknown' }, 'a statement could not be cancelled');
  } finally {
    wire.on('error', () => undefined);
    wire.stream.destroy();
  }
}

// The checks that an ordinary user can run on a PostgreSQL database.

interface TableName {
  name: string;
  schema: string;
}

/**
 * Reads every table of the schema completely, out-of-line values included, which fails at damaged pages; lists invalid
 * indexes; and checks the order of indexes with the extension amcheck, if it is installed.
 */
async function verify(on: Knex): Promise<string[]> {
  const found: string[] = [];
  const check = async (what: string, sql: string, bindings: readonly string[]) => {
    try {
      await on.transaction(async (inside) => {
        await inside.raw('set local statement_timeout = 0');
        await inside.raw(sql, [...bindings]);
      });
    } catch (error) {
      found.push(`${what} cannot be read (SQLSTATE ${(error as { code?: string }).code ?? 'unknown'})`);
    }
  };
  const { rows: tables } = await on.raw<{ rows: TableName[] }>(
    'select schemaname as schema, tablename as name from pg_tables where schemaname = current_schema() order by 2',
  );
  for (const { schema, name } of tables) {
    await check(`The table ${name}`, 'select max(length(t::text)) from ??.?? as t', [schema, name]);
  }
  const { rows: indexes } = await on.raw<{ rows: (TableName & { valid: boolean; btree: boolean })[] }>(
    `select n.nspname as schema, c.relname as name, i.indisvalid as valid, a.amname = 'btree' and c.relkind = 'i' as btree
      from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
      join pg_am a on a.oid = c.relam where n.nspname = current_schema() order by 2`,
  );
  const { rows: amcheck } = await on.raw<{ rows: unknown[] }>("select 1 from pg_extension where extname = 'amcheck'");
  for (const { schema, name, valid, btree } of indexes) {
    if (!valid) found.push(`The index ${name} is not valid: make it anew with \`reindex index ${name}\``);
    else if (btree && amcheck.length > 0) {
      await check(`The index ${name}`, "select bt_index_check(format('%I.%I', ?::text, ?::text)::regclass)", [
        schema,
        name,
      ]);
    }
  }
  return found;
}
