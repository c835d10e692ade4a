/** What Knex has to say goes to our log, at debug level: everything that matters comes as a fault as well. */
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
