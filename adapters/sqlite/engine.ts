/**
 * What is special to SQLite: its parts of the SQL, its errors as faults, whose messages never have bound values, and one
 * connection of the sqlite3 module, with promises.
 */
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Database, Statement } from 'sqlite3';
import { Fault, isFault, outage, unwritable } from '../../core/storage.js';
import type { Engine, Scalar } from '../knex/binding.js';
import type { Connection } from '../knex/driver.js';
import { json, parseJson, refuseUnstorable } from '../knex/rows.js';

/** Times are whole milliseconds since 1970, booleans 0 and 1, JSON is text, text compares by bytes. */
export function sqliteEngine(translate: Engine['translate']): Engine {
  return {
    columns: {
      json: (table, name) => table.text(name),
      time: (table, name) => table.specificType(name, 'integer'),
      // With exactly this type name, a single primary key is the rowid itself and needs no separate index.
      big: (table, name) => table.specificType(name, 'integer'),
      text: (table, name) => table.text(name),
    },
    values: {
      json,
      parseJson,
      time: (value) => value.getTime(),
      parseTime: (value) => {
        // SQLite stores any value in any column; an invalid time must not pass as one.
        if (typeof value !== 'number') throw new TypeError('a stored time is no number');
        return new Date(value);
      },
      parseBig: Number,
      parseBoolean: (value) => value === 1,
      boolean: (value) => (value ? 1 : 0),
    },
    // There is one writer at a time, and its transaction begins by locking the whole file.
    locksRows: false,
    skipLocked: (query) => query,
    forUpdate: (query) => query,
    append,
    among: (column, values) => ({
      sql: `${column} in (select value from json_each(?))`,
      bindings: [json(values)],
    }),
    whereIn: (query, column, values) => {
      refuseUnstorable(values);
      return query.whereRaw('?? in (select value from json_each(?))', [column, json(values)]);
    },
    member: (column, name) => `iif(json_valid(${column}), ${column} -> '${name}', null)`,
    // Because of the limit the planner leaves the select as it is: merged with the outer one, it could read a union of halves whole.
    lists: (select, columns, limit = -1) =>
      `select json_array(${columns.map((column) => `json_group_array(${column})`).join(', ')}) as lists ` +
      `from (${select} limit ${limit}) as listed`,
    bound: (columns) => {
      const values = Object.keys(columns).map((column, i) => `value ->> ${i} as ${column}`);
      return `(select ${values.join(', ')} from json_each(?))`;
    },
    // A cross join is never turned round.
    lookUp: (bound, table, where) => `from ${bound} q cross join ${table} a where ${where}`,
    // SQLite writes whole pages.
    splitIndexes: {
      split: async (schema, { name, table, columns, condition }) => {
        await schema.raw(`drop index ${name}`);
        await schema.raw(`create index ${name} on ${table} (${columns}) where not ${condition}`);
        await schema.raw(`create index ${name}_apart on ${table} (${columns}) where ${condition}`);
      },
      halves: (condition) => [`not ${condition}`, condition],
    },
    translate,
  };
}

/**
 * All rows as one bound JSON text: three times faster than one parameter for each value, and not limited in number. What is the
 * same in all rows, as half of the columns of a load, is bound once: to take a value out of the text takes SQLite as long as to store it.
 */
async function append(
  on: Knex,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Scalar[])[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  refuseUnstorable(rows);
  const places = columns.map((_, place) => place);
  const isSame = places.map((place) => rows.every((row) => row[place] === first[place]));
  const other = places.filter((place) => !isSame[place]);
  const values = places.map((place) => (isSame[place] ? `? ->> '$'` : `value ->> ${other.indexOf(place)}`));
  const same = places.flatMap((place) => (isSame[place] ? json(first[place] ?? null) : []));
  const rest = json(rows.map((row) => other.map((place) => row[place])));
  const names = columns.map(() => '??').join(', ');
  const insert = `insert into ?? (${names}) select ${values.join(', ')} from json_each(?)`;
  await on.raw(insert, [table, ...columns, ...same, rest]);
}

// SQLite's errors as faults. Its messages name tables and columns, never bound values.

type Translate = (error: unknown) => Error;

/** Why the file cannot be used, by SQLite's code. */
const unavailable: Readonly<Record<string, string>> = {
  SQLITE_BUSY: 'is busy: another process holds its lock for too long',
  SQLITE_LOCKED: 'is busy: another process holds its lock for too long',
  SQLITE_CANTOPEN: 'cannot be opened',
  SQLITE_CORRUPT: 'is damaged',
  SQLITE_FORMAT: 'is damaged',
  SQLITE_FULL:
    'cannot grow: the disk is full. Nothing was changed; free some space and try again, to delete something too',
  SQLITE_IOERR: 'cannot be read or written: the disk reports an error',
  SQLITE_NOLFS: 'is too large for its disk',
  SQLITE_NOTADB: 'is not an SQLite database',
  SQLITE_PERM: 'may not be used: permission is denied',
  SQLITE_PROTOCOL: 'is busy: another process holds its lock for too long',
  SQLITE_READONLY: 'is read-only',
};

/** Codes of a file that can be read but not written. */
const writing = new Set(['SQLITE_FULL', 'SQLITE_READONLY']);

/** The translation for one database file. Errors of other origin are returned unchanged. */
export function translator(file: string): Translate {
  return (error) => {
    if (isFault(error)) return error;
    if (!(error instanceof Error))
      return new Fault('internal', 'A value that is not an error was thrown', { cause: error });
    if (error.name === 'KnexTimeoutError') {
      return outage(`The database file ${file} is busy: no connection became free in time`, error);
    }
    const code = (error as { code?: unknown }).code;
    if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return error;
    const state = unavailable[code];
    if (state && writing.has(code)) return unwritable(`The database file ${file} ${state}`, error);
    if (state) return outage(`The database file ${file} ${state}`, error);
    return new Fault(...codeAndMessage(code, error.message), { cause: error });
  };
}

/** A full disk is that of the copy: the file that is copied is as it was. Other errors are returned unchanged. */
export function copyFault(file: string, error: unknown): unknown {
  const why = { SQLITE_FULL: 'the disk of the copy is full', SQLITE_IOERR: 'a disk reports an error' };
  const code = (error as { code?: unknown }).code;
  if (code !== 'SQLITE_FULL' && code !== 'SQLITE_IOERR') return error;
  return new Fault('unavailable', `The database file ${file} cannot be copied: ${why[code]}`, { cause: error });
}

function codeAndMessage(code: string, message: string): ['conflict' | 'unavailable' | 'internal', string] {
  const unique = /UNIQUE constraint failed: ([\w., ]+)$/.exec(message);
  if (unique) return ['conflict', `There is already an entry with the same ${unique[1]}`];
  if (message.includes('FOREIGN KEY constraint failed')) {
    return ['conflict', 'An entry refers to another one that is not there'];
  }
  if (message.endsWith('Database is closed') || message.endsWith('Database handle is closed')) {
    return ['unavailable', 'The storage is closed'];
  }
  return ['internal', `The database refused a statement (${code})`];
}

// One connection of the sqlite3 module, with promises, and what is prepared: the file before it is used, each connection when
// it is opened.

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
