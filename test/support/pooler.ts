/**
 * PgBouncer, if it is installed, between a test and its PostgreSQL: with the settings of the example in `config/deploy`
 * except addresses, users and what a test changes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { postgresUser } from './cluster.js';
import { freePort } from './port.js';

const example = new URL('../../config/deploy/cluster/pgbouncer.ini', import.meta.url);

export interface Pooler {
  /** The URL of a database, led through the pool. */
  through(url: string): string;
  /** A command of the pool's console, such as `show pools`. */
  console<Row>(command: string): Promise<Row[]>;
  /** Ends the server's connections to a database, which the pool would keep after its last client. */
  release(url: string): Promise<void>;
  stop(): Promise<void>;
}

export interface PoolerOptions {
  /** Milliseconds that a statement may take; 0 for no limit. */
  limit?: number;
  /** Of the section `pgbouncer`. */
  settings?: Readonly<Record<string, string>>;
}

/** Starts PgBouncer before all databases of the server with this URL; it ends with this process at the latest. */
export async function startPooler(
  server: string,
  { limit = 60_000, settings = {} }: PoolerOptions = {},
): Promise<Pooler> {
  const { hostname, port: serverPort, username, password } = new URL(server);
  const folder = await mkdtemp(join(tmpdir(), 'trefoil-pooler-'));
  const port = await freePort();
  const users = join(folder, 'userlist.txt');
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(users, `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`, { mode: 0o600 });
  const own = {
    listen_port: String(port),
    auth_file: users,
    // Deriving keys anew for each of thousands of connections would take longer than the tests.
    auth_type: 'trust',
    admin_users: username,
    ...settings,
  };
  const limited = limit === 0 ? '' : ` connect_query='set statement_timeout = ${limit}'`;
  const database = `* = host=${hostname} port=${serverPort}${limited}`;
  await writeFile(file, configuration(await readFile(example, 'utf8'), database, own));
  for (const each of [folder, users, file]) chownSync(each, postgresUser.uid, postgresUser.gid);
  // The shell ends PgBouncer with its own standard input, and therefore with us, however we end.
  const shell = spawn('sh', ['-c', 'pgbouncer -q "$0" & cat >/dev/null; kill -TERM $!; wait $!', file], {
    ...postgresUser,
    cwd: folder,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.unref();
  const through = (url: string) => {
    const led = new URL(url);
    led.hostname = '127.0.0.1';
    led.port = String(port);
    return led.href;
  };
  const pooler: Pooler = {
    through,
    console: async <Row>(command: string) => {
      const client = new pg.Client({ connectionString: through(new URL('/pgbouncer', server).href) });
      client.on('error', () => {});
      await client.connect();
      try {
        return (await client.query(command)).rows as Row[];
      } finally {
        await client.end();
      }
    },
    async release(url) {
      const name = new URL(url).pathname.slice(1);
      const known = await pooler.console<{ name: string }>('show databases');
      if (!known.some((database) => database.name === name)) return;
      // PgBouncer 1.18 ends itself if it kills a database while requests to cancel wait there.
      while ((await pooler.console<Record<string, unknown>>('show pools')).some((pool) => isCancelling(pool, name)));
      await pooler.console(`kill ${name}`);
      await pooler.console(`resume ${name}`);
    },
    stop: async () => {
      const gone = once(shell, 'exit');
      shell.stdin?.end();
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
  await answering(pooler, () => shell.exitCode !== null);
  return pooler;
}

/** Whether requests to cancel statements are under way in a pool of this database. */
function isCancelling(pool: Record<string, unknown>, database: string): boolean {
  return pool.database === database && Object.entries(pool).some(([name, n]) => /cancel/.test(name) && Number(n) > 0);
}

/** The example with other values; its database becomes all databases of a server. */
function configuration(text: string, database: string, values: Readonly<Record<string, string>>): string {
  const left = new Map(Object.entries(values));
  const lines = text.split('\n').map((line) => {
    const [key = ''] = line.split(' = ', 1);
    if (key === 'trefoil') return database;
    const value = left.get(key);
    left.delete(key);
    return value === undefined ? line : `${key} = ${value}`;
  });
  return [...lines, ...[...left].map(([key, value]) => `${key} = ${value}`), ''].join('\n');
}

async function answering(pooler: Pooler, hasEnded: () => boolean): Promise<void> {
  for (;;) {
    if (hasEnded()) throw new Error('PgBouncer ended while it started');
    try {
      await pooler.console('show version');
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
