/**
 * One connection of the sqlite3 module, with promises, and what is prepared: the file before it is used, each connection when
 * it is opened.
 */
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Database, Statement } from 'sqlite3';
import { outage } from '../../core/storage.js';
import type { Connection } from '../knex/driver.js';

export type SqliteConnection = Database;

/** Runs statements that return no rows. */
export function execute(connection: Connection, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    (connection as SqliteConnection).exec(sql, (error) => (error ? reject(error) : resolve()));
  });
}

/** The first column of the single row. */
export function scalar(connection: SqliteConnection, sql: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    connection.get<Record<string, unknown>>(sql, (error, row) => {
      if (error) reject(error);
      else resolve(row && Object.values(row)[0]);
    });
  });
}

export function prepare(connection: SqliteConnection, sql: string): Promise<Statement> {
  return new Promise((resolve, reject) => {
    const statement = connection.prepare(sql, (error) => (error ? reject(error) : resolve(statement)));
  });
}

export function finalize(statement: Statement): Promise<void> {
  return new Promise((resolve) => statement.finalize(() => resolve()));
}

// Prepares the file before it is used, and each connection when it is opened.

/** Marks a file as ours in its header ("Trfl"), so that another application's database is never written. */
const applicationId = 0x5472666c;

export const inMemory = ':memory:';

/**
 * Creates the file and its folder if they do not exist, accessible only to the user of this process; SQLite creates its
 * logs with the mode of the file. The modes of existing files and folders are not changed.
 */
export async function prepareFile(file: string): Promise<void> {
  if (file === inMemory) return;
  try {
    await makeFolder(dirname(file));
  } catch (cause) {
    throw outage(`The folder of the database file ${file} cannot be created`, cause);
  }
  try {
    await (await open(file, 'ax', 0o600)).close();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw outage(`The database file ${file} cannot be opened`, cause);
    }
  }
}

/** Not Node's own recursion, which never ends if a parent exists but accepts no folder, as in /proc. */
async function makeFolder(path: string): Promise<void> {
  const code = await mkdirCode(path);
  if (code === undefined || code === 'EEXIST') return;
  if (code === 'ENOENT' && dirname(path) !== path) {
    await makeFolder(dirname(path));
    if (['EEXIST', undefined].includes(await mkdirCode(path))) return;
  }
  throw new Error(`The folder cannot be made (${code})`);
}

/** Creates one folder; returns the error if it cannot. */
async function mkdirCode(path: string): Promise<string | undefined> {
  try {
    await mkdir(path, 0o700);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

export async function prepareWriter(connection: SqliteConnection, file: string, busyTimeout: number): Promise<void> {
  await prepareAny(connection, busyTimeout);
  // A transaction that changes more pages than are cached writes some of them several times. Connections that read keep to
  // the 2 MB of SQLite's default, since the system caches the file anyway.
  await execute(connection, 'pragma cache_size = -8000');
  await claim(connection, file);
  if (file !== inMemory) await writeAhead(connection, file, busyTimeout);
  // Every commit flushes the log to the disk, so that acknowledged writes also survive a power cut. This costs one flush
  // per transaction, and bulk loads have few of them.
  await execute(connection, 'pragma synchronous = full');
  // Deleted content is overwritten with zeros, as erasing a patient requires; it costs little compared to the flush.
  await execute(connection, 'pragma secure_delete = on');
  // After a large load the log shrinks to 64 MB again. Until it is as large, its pages stay there: a merge of small loads
  // changes most pages of the index by place, which several merges then write to the file together.
  await execute(connection, 'pragma journal_size_limit = 67108864; pragma wal_autocheckpoint = 16000');
}

export async function prepareReader(connection: SqliteConnection, busyTimeout: number): Promise<void> {
  await prepareAny(connection, busyTimeout);
  await execute(connection, 'pragma query_only = on');
}

/** The busy timeout is set first, since the other statements may have to wait. */
async function prepareAny(connection: SqliteConnection, busyTimeout: number): Promise<void> {
  await execute(connection, `pragma busy_timeout = ${busyTimeout}`);
  await execute(connection, 'pragma foreign_keys = on');
}

/** Marks an empty database as ours; refuses one with tables of another application. */
async function claim(connection: SqliteConnection, file: string): Promise<void> {
  if ((await scalar(connection, 'pragma application_id')) === applicationId) return;
  await execute(connection, 'begin immediate');
  try {
    const free = (await scalar(connection, 'select count(*) from sqlite_master')) === 0;
    const ours = (await scalar(connection, 'pragma application_id')) === applicationId;
    if (!free && !ours) {
      throw outage(`The file ${file} is an SQLite database of another application`);
    }
    await execute(connection, `pragma application_id = ${applicationId}`);
    await execute(connection, 'commit');
  } catch (error) {
    await execute(connection, 'rollback');
    throw error;
  }
}

/** In WAL mode readers and the writer do not wait for each other. Changing the mode does not wait for locks, so we retry. */
async function writeAhead(connection: SqliteConnection, file: string, busyTimeout: number): Promise<void> {
  const givenUp = Date.now() + busyTimeout;
  for (;;) {
    try {
      const mode = await scalar(connection, 'pragma journal_mode = wal');
      if (mode === 'wal') return;
      throw outage(`The database file ${file} is on a file system on which SQLite cannot keep a write-ahead log`);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'SQLITE_BUSY' || Date.now() > givenUp) throw error;
      await setTimeout(20);
    }
  }
}
