/** What is done to the file before it is used, and to each connection when it is opened. */
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { outage } from '../../core/storage.js';
import { execute, type SqliteConnection, scalar } from './connection.js';

/** Marks a file as ours in its header ("Trfl"), so that another application's database is never written to. */
const applicationId = 0x5472666c;

export const inMemory = ':memory:';

/**
 * Makes the file and its folder if they do not exist, readable by the user of this process alone; SQLite gives its logs
 * the mode of the file. What exists stays as its administrator made it.
 */
export async function prepareFile(file: string): Promise<void> {
  if (file === inMemory) return;
  try {
    await makeFolder(dirname(file));
  } catch (cause) {
    throw outage(`The folder of the database file ${file} cannot be made`, cause);
  }
  try {
    await (await open(file, 'ax', 0o600)).close();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw outage(`The database file ${file} cannot be opened`, cause);
    }
  }
}

/** Not Node's own recursion, which never ends where a parent exists and yet takes no folder, as in /proc. */
async function makeFolder(path: string): Promise<void> {
  const code = await mkdirCode(path);
  if (code === undefined || code === 'EEXIST') return;
  if (code === 'ENOENT' && dirname(path) !== path) {
    await makeFolder(dirname(path));
    if (['EEXIST', undefined].includes(await mkdirCode(path))) return;
  }
  throw new Error(`The folder cannot be made (${code})`);
}

/** Makes one folder; answers why not. */
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
  await claim(connection, file);
  if (file !== inMemory) await writeAhead(connection, file, busyTimeout);
  // With every commit the log is flushed to the disk: what was acknowledged survives a power cut too, not only the end
  // of the process. It costs one flush a transaction, and bulk loads have few of those.
  await execute(connection, 'pragma synchronous = full');
  // What is deleted is overwritten with zeros: patients ask for that, and it costs little beside the flush.
  await execute(connection, 'pragma secure_delete = on');
  // The log that a large load leaves behind shrinks again to 64 MB.
  await execute(connection, 'pragma journal_size_limit = 67108864');
}

export async function prepareReader(connection: SqliteConnection, busyTimeout: number): Promise<void> {
  await prepareAny(connection, busyTimeout);
  await execute(connection, 'pragma query_only = on');
}

/** Waiting for locks comes first, since all that follows may have to. 32 MB of pages are kept for each connection. */
async function prepareAny(connection: SqliteConnection, busyTimeout: number): Promise<void> {
  await execute(connection, `pragma busy_timeout = ${busyTimeout}`);
  await execute(connection, 'pragma foreign_keys = on; pragma cache_size = -32000');
}

/** Marks an empty database as ours; refuses one that holds somebody else's tables. */
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

/** Readers and the writer do not wait for each other. The change of mode itself does not wait for locks: we do. */
async function writeAhead(connection: SqliteConnection, file: string, busyTimeout: number): Promise<void> {
  const givenUp = Date.now() + busyTimeout;
  for (;;) {
    try {
      const mode = await scalar(connection, 'pragma journal_mode = wal');
      if (mode === 'wal') return;
      throw outage(`The database file ${file} lies where SQLite cannot keep a write-ahead log`);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'SQLITE_BUSY' || Date.now() > givenUp) throw error;
      await setTimeout(20);
    }
  }
}
