/**
 * PostgreSQL servers from an installation on the machine, whose tools embedded ones lack: a primary and its
 * streaming replicas, which tests kill and promote.
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, readdirSync } from 'node:fs';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './port.js';
import { canRun, programFolders } from './programs.js';

const tools = ['initdb', 'postgres', 'pg_basebackup', 'pg_ctl', 'pg_dump', 'pg_restore', 'psql'];

/** The folder with all tools: from the PATH, or Debian's; undefined if there is none. */
export const postgresTools: string | undefined = [...programFolders, ...debianFolders()].find((folder) =>
  tools.every((tool) => canRun(join(folder, tool))),
);

function debianFolders(): string[] {
  try {
    return readdirSync('/usr/lib/postgresql').map((version) => `/usr/lib/postgresql/${version}/bin`);
  } catch {
    return [];
  }
}

/** PostgreSQL refuses to run as root; then it runs as its own user. */
export const postgresUser: { uid: number; gid: number } =
  process.getuid?.() === 0
    ? { uid: Number(execId('-u')), gid: Number(execId('-g')) }
    : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

function execId(option: string): string {
  try {
    return execFileSync('id', [option, 'postgres'], { encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return '0';
  }
}

export class PostgresServer {
  readonly folder: string;
  readonly port: number;
  readonly url: string;
  readonly #password: string;
  #stopped: Promise<unknown> | undefined;
  #pid: number | undefined;

  private constructor(folder: string, port: number, password: string) {
    this.folder = folder;
    this.port = port;
    this.#password = password;
    this.url = `postgres://trefoil:${password}@127.0.0.1:${port}/postgres`;
  }

  static async primary(): Promise<PostgresServer> {
    const password = randomBytes(8).toString('hex');
    const server = new PostgresServer(await ownFolder(), await freePort(), password);
    const secret = join(server.folder, 'password');
    await writeFile(secret, password);
    chownSync(secret, postgresUser.uid, postgresUser.gid);
    const data = join(server.folder, 'data');
    await run('initdb', [
      '-D',
      data,
      '-U',
      'trefoil',
      '--pwfile',
      secret,
      '-A',
      'scram-sha-256',
      '--locale=C',
      '-E',
      'UTF8',
    ]);
    await appendFile(join(data, 'pg_hba.conf'), 'host replication trefoil 127.0.0.1/32 scram-sha-256\n');
    await server.start();
    return server;
  }

  /** A streaming replica of this server. */
  async replica(): Promise<PostgresServer> {
    const replica = new PostgresServer(await ownFolder(), await freePort(), this.#password);
    const source = `host=127.0.0.1 port=${this.port} user=trefoil password=${this.#password}`;
    await run('pg_basebackup', ['-D', join(replica.folder, 'data'), '-d', source, '-R', '-X', 'stream', '-c', 'fast']);
    await replica.start();
    return replica;
  }

  async start(): Promise<void> {
    const settings = [
      'listen_addresses=127.0.0.1',
      `port=${this.port}`,
      'unix_socket_directories=',
      'wal_level=replica',
    ];
    const child = spawn(
      join(postgresTools ?? '', 'postgres'),
      ['-D', join(this.folder, 'data'), ...settings.flatMap((setting) => ['-c', setting])],
      { ...postgresUser, cwd: this.folder, stdio: 'ignore' },
    );
    this.#pid = child.pid;
    let ended = false;
    this.#stopped = once(child, 'exit').then(() => {
      ended = true;
    });
    for (;;) {
      if (ended) throw new Error('The PostgreSQL server ended while it started');
      if (await answers(this.url)) return;
      await sleep(20);
    }
  }

  async sql<Row = Record<string, unknown>>(text: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => {}); // killed servers cut their connections
    await client.connect();
    try {
      return (await client.query(text)).rows as Row[];
    } finally {
      await client.end();
    }
  }

  /** Ends the server as a crash would: at once, with all connections. */
  async kill(): Promise<void> {
    if (this.#pid !== undefined) process.kill(this.#pid, 'SIGQUIT');
    await this.#stopped;
    this.#pid = undefined;
  }

  /** As `kill`, but returns before this process can notice that its connections are cut. */
  killUnnoticed(): void {
    execFileSync(
      join(postgresTools ?? '', 'pg_ctl'),
      ['stop', '-m', 'immediate', '-w', '-D', join(this.folder, 'data')],
      { ...postgresUser, cwd: this.folder, stdio: 'ignore' },
    );
    this.#pid = undefined;
  }

  /** Stops all its processes as a frozen machine would: connections stay open, and nothing answers. Returns what ends that. */
  freeze(): () => void {
    const pid = this.#pid ?? 0;
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
    const all = [pid, ...children.split(/\s+/).filter(Boolean).map(Number)];
    for (const one of all) process.kill(one, 'SIGSTOP');
    return () => {
      for (const one of all) process.kill(one, 'SIGCONT');
    };
  }

  /** Promotes a replica to primary. */
  async promote(): Promise<void> {
    await this.sql('select pg_promote()');
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs one of the tools to its end; throws with its output if it fails. */
export async function run(tool: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const child = spawn(join(postgresTools ?? '', tool), args, {
    ...postgresUser,
    cwd: tmpdir(),
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  let trouble = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    trouble += part;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${tool} ended with ${code}: ${trouble}`);
  return text;
}

/** A folder of the user as which PostgreSQL runs. */
export async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trefoil-cluster-'));
  chownSync(folder, postgresUser.uid, postgresUser.gid);
  return folder;
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
