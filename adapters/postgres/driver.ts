/** The connections to one PostgreSQL database. Only this folder uses the pg module. */
import createKnex, { type Knex } from 'knex';
import type { Client } from 'pg';
import { type Fault, isFault, outage, type StorageLog } from '../../core/storage.js';
import type { Scalar } from '../knex/binding.js';
import { type Connection, type Driver, discard, knexLog, onConnection, soleConnection } from '../knex/driver.js';
import { poolMetrics, sharing } from '../knex/pool.js';
import { PreparedStatements } from '../knex/statements.js';
import { stoppable } from '../knex/stop.js';
import { refusingUnstorable } from '../knex/values.js';
import { cancel } from './cancel.js';
import { commit } from './commit.js';
import { postgresEngine } from './engine.js';
import { isLostBefore, translator } from './errors.js';
import { createLineage, ServerLineage } from './lineage.js';
import { watchPulse } from './pulse.js';
import { openReplica } from './replica.js';
import { greeting, isPooled, refuseUnlimited } from './session.js';
import { type Address, addressOf, type PostgresSettings, showAddress } from './settings.js';
import { Shards } from './shards.js';
import { types } from './types.js';
import { verify } from './verify.js';

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
interface Prepared {
  name: string;
  text: string;
}

/** Names are never reused, so that a dropped statement and a new one cannot be confused. */
let prepared = 0;

const statements = new PreparedStatements<Client, Prepared>(
  async (_, sql) => ({ name: `trefoil_${++prepared}`, text: numbered(sql) }),
  async (connection, { name }) => {
    await connection.query(`deallocate ${name}`);
  },
);

export async function openPostgres(settings: PostgresSettings, log: StorageLog): Promise<Driver> {
  const address = addressOf(settings);
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
  const open = (chosen: PostgresSettings, meet: (connection: Client) => Promise<void>, primary?: Address) =>
    greeting(
      sharing(
        refusingUnstorable(
          createKnex({
            ...common,
            // Knex would ask each server for it, to tell those from before 9.2.
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
        // During a failover reads go on, as long as the replica may serve them.
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
function unreachable(error: Error, address: Address): Fault {
  if (isFault(error)) return error;
  const [reason] = error.message.split('\n', 1);
  return outage(`The PostgreSQL ${showAddress(address)} cannot be used: ${reason}`, error);
}

/** Replaces `?` by `$1`, `$2`, …; our statements use `?` only as a placeholder. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${++count}`);
}
