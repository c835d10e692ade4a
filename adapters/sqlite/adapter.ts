/** The `sqlite` adapter: one file, no server. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Capabilities, defineAdapter } from '../../core/storage.js';
import { openStorage } from '../knex/storage.js';
import { inMemory } from './prepare.js';
import { readableFiles } from './readable.js';

const capabilities: Capabilities = { durable: true, concurrentWriters: true, streams: true };

const settings = z.strictObject({
  file: z
    .string()
    .min(1)
    .default('data/trefoil.sqlite')
    .describe(
      'The database file, relative to the folder in which the server is started; created if it does not exist.',
    ),
  busyTimeout: z
    .int()
    .min(0)
    .max(600_000)
    .default(15_000)
    .describe('Milliseconds that a write waits while another process writes.'),
});

export default defineAdapter({
  name: 'sqlite',
  family: 'knex',
  capabilities,
  settings,
  migratesItself: true,
  advice: ({ file }) => readableFiles(file),
  file: ({ file }) => (file === inMemory ? undefined : file),
  tryBackup: async ({ backup, folder, settings: { busyTimeout } }) => {
    const file = join(folder, 'trial.sqlite');
    await copyFile(backup, file);
    return { settings: { file, busyTimeout }, close: async () => {} };
  },
  describe: ({ file }) => `SQLite file ${file}`,
  open: ({ settings: { file, busyTimeout }, ...request }) =>
    // A database in memory is neither durable nor shared.
    openStorage(request, file === inMemory ? { streams: true } : capabilities, async () => {
      const { openSqlite } = await import('./driver.js');
      return openSqlite({ file, busyTimeout, log: request.log });
    }),
});
