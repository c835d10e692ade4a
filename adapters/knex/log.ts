/** Writes Knex's messages to our log, at debug level: whatever matters is thrown as a fault as well. */
import type { Knex } from 'knex';
import type { StorageLog } from '../../core/storage.js';

export function knexLog(log: StorageLog): Knex.Logger {
  const note = (message: unknown) => log.debug({ message: String(message).split('\n', 1)[0] }, 'knex');
  return {
    warn: note,
    error: note,
    debug: note,
    deprecate: (method, alternative) => note(`${method}: use ${alternative}`),
  };
}
