/** SQLite's errors as faults. Its messages name tables and columns, never bound values. */
import { Fault, isFault, outage, unwritable } from '../../core/storage.js';

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
