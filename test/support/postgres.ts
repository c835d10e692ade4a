/**
 * Databases on a real PostgreSQL: the server that TEST_POSTGRES_URL names, or one of our own, started with the first
 * database that is asked for and shared by the whole run.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

/** A database of the caller's own. */
export interface TestDatabase {
  name: string;
  url: string;
  drop(): Promise<void>;
}

interface Server {
  /** A connection on which databases are made and dropped. */
  admin: pg.Client;
  url: string;
  stop(): Promise<void>;
}

let server: Promise<Server> | undefined;
let databases = 0;
/** Tells the databases of this run from those of others on the same server; processes of one run share it. */
const run = process.env.TREFOIL_TEST_RUN ?? String(process.pid);
/** Names of those that are there. */
const standing = new Set<string>();

/** An empty database, or a copy of another that nobody is connected to. */
export async function makeDatabase(original?: TestDatabase): Promise<TestDatabase> {
  server ??= start();
  const { admin, url } = await server;
  const name = `trefoil_test_${run}_${process.pid}_${++databases}`;
  await admin.query(`create database ${name} template ${original?.name ?? "template0 encoding 'UTF8'"}`);
  standing.add(name);
  return { ...databaseAt(url, name), drop: () => drop(admin, name) };
}

function databaseAt(url: string, name: string): Omit<TestDatabase, 'drop'> {
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { name, url: own.href };
}

/**
 * A database that `fill` has filled, to be copied: made once in a run, by whichever process wants it first. `what` says
 * what is in it.
 */
export async function originalDatabase(what: string, fill: (url: string) => Promise<void>): Promise<TestDatabase> {
  server ??= start();
  const { admin, url } = await server;
  const name = `trefoil_test_${run}_${createHash('sha256').update(what).digest('hex').slice(0, 16)}`;
  await admin.query('select pg_advisory_lock(hashtext($1))', [name]);
  try {
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      const made = await makeDatabase();
      await fill(made.url);
      await admin.query(`alter database ${made.name} rename to ${name}`);
      standing.delete(made.name);
      if (process.env.TREFOIL_TEST_RUN === undefined) standing.add(name);
    }
  } finally {
    await admin.query('select pg_advisory_unlock(hashtext($1))', [name]);
  }
  return { ...databaseAt(url, name), drop: () => drop(admin, name) };
}

/** Drops what processes of a run left on the server that TEST_POSTGRES_URL names. */
export async function dropDatabases(run: string): Promise<void> {
  const admin = new pg.Client({ connectionString: process.env.TEST_POSTGRES_URL });
  await admin.connect();
  const { rows } = await admin.query<{ name: string }>(
    'select datname as name from pg_database where starts_with(datname, $1)',
    [`trefoil_test_${run}_`],
  );
  for (const { name } of rows) await drop(admin, name);
  await admin.end();
}

async function drop(admin: pg.Client, name: string): Promise<void> {
  await admin.query(`drop database if exists ${name} with (force)`);
  standing.delete(name);
}

/** Stops what was started; called once, after all tests. */
export async function stopPostgres(): Promise<void> {
  const started = server;
  server = undefined;
  // One that did not start has said so to whoever asked for a database.
  await (await started?.catch(() => undefined))?.stop();
}

async function start(): Promise<Server> {
  const given = process.env.TEST_POSTGRES_URL;
  const { url, stop } = given ? { url: given, stop: async () => {} } : await startServer();
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  return {
    admin,
    url,
    stop: async () => {
      for (const name of standing) await drop(admin, name);
      await admin.end();
      await stop();
    },
  };
}

/** The server lives in a process that ends when its standard input does: with us, whatever happens to us. */
export async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const keeper = spawn(
    process.execPath,
    ['--import=tsx/esm', fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url))],
    { cwd: fileURLToPath(new URL('../..', import.meta.url)), stdio: ['pipe', 'pipe', 'inherit'] },
  );
  return {
    url: await firstLine(keeper),
    stop: async () => {
      const gone = once(keeper, 'exit');
      keeper.stdin?.end();
      await gone;
    },
  };
}

function firstLine(keeper: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    keeper.once('error', reject);
    keeper.once('exit', (code) => reject(new Error(`The test server of PostgreSQL ended with ${code}`)));
    keeper.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
  });
}
