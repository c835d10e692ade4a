/** The engine-specific parts of SQLite, and its errors as faults. Its messages name tables and columns, never bound values. */
import type { Knex } from 'knex';
import { Fault, isFault, outage, unwritable } from '../../core/storage.js';
import type { Engine, Scalar } from '../knex/binding.js';
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
    // SQLite has no partitions: the table stays as it is, and its indexes find any part of it.
    partition: async () => {},
    // Because of the sign the planner ignores the column.
    partitionColumn: (column) => `+${column}`,
    farParts: async () => [],
    olderReadersGone: async () => true,
    splitIndex: async (schema, { name, table, columns, condition }) => {
      await schema.raw(`drop index ${name}`);
      await schema.raw(`create index ${name} on ${table} (${columns}) where not ${condition}`);
      await schema.raw(`create index ${name}_apart on ${table} (${columns}) where ${condition}`);
    },
    halves: (condition) => [`not ${condition}`, condition],
    translate,
  };
}

/** All rows as one bound JSON text: three times faster than one parameter for each value, and not limited in number. */
async function append(
  on: Knex,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Scalar[])[],
): Promise<void> {
  if (rows.length === 0) return;
  refuseUnstorable(rows);
  const values = columns.map((_, i) => `value ->> ${i}`).join(', ');
  const names = columns.map(() => '??').join(', ');
  await on.raw(`insert into ?? (${names}) select ${values} from json_each(?)`, [table, ...columns, json(rows)]);
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
