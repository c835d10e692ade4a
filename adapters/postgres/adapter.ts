/** The `postgres` adapter: a PostgreSQL server, version 14 or newer. */
import { type Capabilities, defineAdapter } from '../../core/storage.js';
import { openStorage } from '../knex/storage.js';
import { addressOfServer, settings, showAddress } from './settings.js';

const capabilities: Capabilities = { durable: true, concurrentWriters: true, streams: true };

export default defineAdapter({
  name: 'postgres',
  family: 'knex',
  capabilities,
  settings,
  migratesItself: false,
  tryBackup: async (request) => (await import('./restore/restore.js')).tryBackup(request),
  describe: (chosen) => `PostgreSQL ${showAddress(addressOfServer(chosen))}`,
  open: ({ settings: chosen, ...request }) =>
    openStorage(request, capabilities, async () => {
      const { openPostgres } = await import('./driver.js');
      return openPostgres(chosen, request.log);
    }),
});
