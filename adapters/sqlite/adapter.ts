/** The `sqlite` adapter: one file, no server. It warns if other users of the machine can read the file. */
import { copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Capabilities, defineAdapter } from '../../core/storage.js';
import { openStorage } from '../knex/storage.js';
import { inMemory } from './engine.js';

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

// Whether other users of the machine can read the database.

/** A sentence for each file of the database, its logs included, that every user of the machine can read or write. */
async function readableFiles(file: string): Promise<string[]> {
  // Modes mean nothing on Windows.
  if (file === inMemory || process.platform === 'win32') return [];
  const sentences: string[] = [];
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    const mode = (await stat(path).catch(() => undefined))?.mode ?? 0;
    if ((mode & 0o006) === 0) continue;
    const octal = (mode & 0o777).toString(8).padStart(4, '0');
    sentences.push(
      `file: every user of this machine can read ${path} (mode ${octal}); chmod 600 restricts it to its owner`,
    );
  }
  return sentences;
}
