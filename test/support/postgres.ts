/**
 * Databases on a real PostgreSQL: the server that TEST_POSTGRES_URL names, or one of our own, started with the first
 * requested database and shared by the whole run.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { Cleaner, type Pristine, pristineOf } from './postgres-reset.js';

/** A database of the caller's own. */
export interface TestDatabase {
  name: string;
  url: string;
  drop(): Promise<void>;
}

interface Server {
  /** A connection that creates and drops databases. */
  admin: pg.Client;
  /** How databases are created: copying the files costs a third of writing every page to the log. */
  strategy: string;
  url: string;
  stop(): Promise<void>;
}

let server: Promise<Server> | undefined;
let databases = 0;
/** Distinguishes the databases of this run from others on the same server; processes of one run share it. */
const run = process.env.TREFOIL_TEST_RUN ?? String(process.pid);
/** Whether a run goes on after this process has used the server. */
const shared = process.env.TREFOIL_TEST_RUN !== undefined;
/** Names of the existing ones. */
const standing = new Set<string>();

/** A copy of an original that a test has used, emptied for the next. */
interface Copy extends TestDatabase {
  original: string;
  cleaner: Cleaner;
  remove(): Promise<void>;
}

/** Those that no test uses, the longest unused first. */
const free: Copy[] = [];
/** Each has some ten megabytes, in memory if there is room. */
const mostFree = 8;
/** What a copy has that no test has used, by original. */
const pristine = new Map<string, Promise<Pristine>>();

/** An empty database, or a copy of another that has no connections. */
export async function makeDatabase(original?: TestDatabase): Promise<TestDatabase> {
  if (original === undefined) return newDatabase();
  const known = free.findLastIndex((copy) => copy.original === original.name);
  const [used] = known < 0 ? [] : free.splice(known, 1);
  return used ?? copyOf(original.name);
}

/** A copy of a database, as a backup. Its storages are closed, but the server may still be ending their connections. */
export async function copyDatabase(url: string): Promise<TestDatabase> {
  server ??= start();
  const { admin } = await server;
  const name = new URL(url).pathname.slice(1);
  const ending = 'select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1';
  while (((await admin.query(ending, [name])).rowCount ?? 0) > 0);
  return newDatabase(name);
}

async function copyOf(original: string): Promise<Copy> {
  const made = await newDatabase(original);
  const first = pristine.get(original) ?? pristineOf(made.url);
  pristine.set(original, first);
  const cleaner = new Cleaner(made.url, await first);
  const remove = async () => {
    await cleaner.end();
    await made.drop();
  };
  const copy: Copy = {
    ...made,
    ...{ original, cleaner, remove },
    async drop() {
      if (!(await cleaner.reset())) return remove();
      free.push(copy);
      if (free.length > mostFree) await free.shift()?.remove();
    },
  };
  return copy;
}

async function newDatabase(original?: string): Promise<TestDatabase> {
  server ??= start();
  const { admin, strategy, url } = await server;
  const name = `trefoil_test_${run}_${process.pid}_${++databases}`;
  await admin.query(`create database ${name} template ${original ?? "template0 encoding 'UTF8'"} ${strategy}`);
  standing.add(name);
  return { ...databaseAt(url, name), drop: () => dropped(name) };
}

function databaseAt(url: string, name: string): Omit<TestDatabase, 'drop'> {
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { name, url: own.href };
}

/**
 * A database filled by `fill`, to be copied: created once in a run, by the process that needs it first. `what`
 * identifies its content.
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
      if (!shared) standing.add(name);
    }
  } finally {
    await admin.query('select pg_advisory_unlock(hashtext($1))', [name]);
  }
  return { ...databaseAt(url, name), drop: () => dropped(name) };
}

/** A database that outlives a file of tests is dropped over another connection than the one that created it. */
async function dropped(name: string): Promise<void> {
  server ??= start();
  await drop((await server).admin, name);
}

/** Drops the databases that processes of a run left on the server that TEST_POSTGRES_URL names. */
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

/** Ends our use of the server; called after all tests of this process, or after each file if processes share the run. */
export async function stopPostgres(): Promise<void> {
  const started = server;
  server = undefined;
  // The callers that requested a database have received the error of a server that did not start.
  await (await started?.catch(() => undefined))?.stop();
}

async function start(): Promise<Server> {
  const given = process.env.TEST_POSTGRES_URL;
  const { url, stop } = given ? { url: given, stop: async () => {} } : await startServer();
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const { rows } = await admin.query<{ strategy: string }>(
    "select case when current_setting('server_version_num')::int >= 150000 then 'strategy file_copy' else '' end as strategy",
  );
  return {
    admin,
    strategy: rows[0]?.strategy ?? '',
    url,
    stop: async () => {
      for (const { cleaner } of free) await cleaner.end();
      // Emptied copies serve the next file of a run. Our own server takes its databases with it.
      if (!shared) free.length = 0;
      const kept = new Set(free.map(({ name }) => name));
      if (given) for (const name of standing) if (!kept.has(name)) await drop(admin, name);
      await admin.end();
      await stop();
    },
  };
}

/** The server is in a process that ends with its standard input, and therefore with us, however we end. */
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
