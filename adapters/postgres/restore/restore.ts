/** Restores a backup of PostgreSQL to a server of its own, which only the user of this process can reach. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { appendFile, chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Fault, type Trial, type TrialRequest } from '../../../core/storage.js';
import { addressOfServer, type PostgresSettings } from '../settings.js';
import {
  checkArchive,
  complaintOfProgram,
  folderOfTools,
  giveTo,
  plainEnvironment,
  runProgram,
  type User,
  userFor,
} from './archive.js';

type RestoreRequest = TrialRequest<PostgresSettings>;

export async function tryBackup(request: RestoreRequest): Promise<Trial<PostgresSettings>> {
  const { backup, folder } = request;
  const user = await userFor(backup);
  await giveTo(folder, user);
  return (await stat(backup)).isDirectory() ? fromBase(request, user) : fromDump(request, user);
}

/** The parts of backup_manifest that are needed here (PostgreSQL documentation, "Backup Manifest Format"). */
interface BackupManifest {
  Files: {
    Path: string;
    Size: number;
    'Last-Modified': string;
    'Checksum-Algorithm'?: string;
    Checksum?: string;
  }[];
  'WAL-Ranges': { Timeline: number; 'Start-LSN': string }[];
}

async function fromBase(
  { backup, archive, folder, settings }: RestoreRequest,
  user: User,
): Promise<Trial<PostgresSettings>> {
  const major = Number(await textOfFile(join(backup, 'PG_VERSION'), 'it has no file PG_VERSION: it is no base backup'));
  const verify = async (programs: string, options: string[]) => {
    const args = ['--quiet', '--exit-on-error', ...options, backup];
    const verified = await runProgram(join(programs, 'pg_verifybackup'), args, user, folder);
    if (verified.code !== 0) throw badBackup(complaintOfProgram(verified));
  };
  const tools = await folderOfTools(major).catch(async (error: unknown) => {
    // Those of another version can compare the files, among them the one that names the version.
    await verify(await folderOfTools(), ['--no-parse-wal']);
    throw error;
  });
  await verify(tools, []);
  const manifest = JSON.parse(
    await textOfFile(join(backup, 'backup_manifest'), 'it has no manifest'),
  ) as BackupManifest;
  const [range] = manifest['WAL-Ranges'];
  const label = manifest.Files.find(({ Path }) => Path === 'backup_label');
  if (range === undefined || label === undefined) throw badBackup('its manifest names no write-ahead log or no label');
  if (manifest.Files.some(({ Path }) => Path === 'tablespace_map')) {
    throw new Fault(
      'invalid',
      'Backups with tablespaces outside of the data folder cannot be verified by this command',
    );
  }
  await confirmSettings(backup, manifest.Files);
  let made = new Date(label['Last-Modified']);
  if (archive !== undefined) {
    made = await checkArchive(archive, { timeline: range.Timeline, lsn: range['Start-LSN'] }, tools, user);
  }
  const data = join(folder, 'data');
  const copied = await runProgram('cp', ['-R', '--preserve=mode,ownership', backup, data], user, folder);
  if (copied.code !== 0)
    throw new Fault('unavailable', `The backup cannot be copied to ${folder}: ${complaintOfProgram(copied)}`);
  await chmod(data, 0o700);
  if (archive !== undefined) {
    const from = archive.replaceAll("'", "''").replaceAll('%', '%%');
    await appendFile(join(data, 'postgresql.auto.conf'), `\nrestore_command = 'cp "${from}/%f" "%p"'\n`);
    await writeFile(join(data, 'recovery.signal'), '');
    await giveTo(join(data, 'recovery.signal'), user);
  }
  return { ...(await serveData({ tools, data, folder, settings }, user)), made };
}

/** pg_verifybackup leaves this file out, since standbys are given another one. */
async function confirmSettings(backup: string, files: BackupManifest['Files']): Promise<void> {
  const own = files.find(({ Path }) => Path === 'postgresql.auto.conf');
  if (own === undefined) return;
  const { size } = await stat(join(backup, own.Path)).catch((cause) =>
    Promise.reject(badBackup(`${own.Path} is missing`, cause)),
  );
  const isChanged = own['Checksum-Algorithm'] === 'SHA256' && (await sha256Of(join(backup, own.Path))) !== own.Checksum;
  if (size !== own.Size || isChanged) throw badBackup(`${own.Path} is not what the manifest says`);
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash.digest('hex');
}

async function fromDump({ backup, folder, settings }: RestoreRequest, user: User): Promise<Trial<PostgresSettings>> {
  const expected = (
    await textOfFile(`${backup}.sha256`, `its checksum ${backup}.sha256 is missing: sha256sum makes it`)
  ).slice(0, 64);
  if ((await sha256Of(backup)) !== expected.toLowerCase()) throw badBackup('its content is not what its checksum says');
  const tools = await folderOfTools();
  const data = join(folder, 'data');
  const { database, user: name } = addressOfServer(settings);
  const made = await runProgram(
    join(tools, 'initdb'),
    ['-D', data, '-U', name, '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'],
    user,
    folder,
  );
  if (made.code !== 0)
    throw new Fault('unavailable', `No database can be made for the trial: ${complaintOfProgram(made)}`);
  const trial = await serveData({ tools, data, folder, settings }, user);
  try {
    const admin = ['-h', folder, '-p', '5432', '-U', name];
    await runProgram(join(tools, 'createdb'), [...admin, '-T', 'template0', database], user, folder);
    const options = ['--no-owner', '--no-privileges', '--exit-on-error', `--dbname=${database}`, backup];
    const restored = await runProgram(join(tools, 'pg_restore'), [...admin, ...options], user, folder);
    if (restored.code !== 0) throw badBackup(complaintOfProgram(restored));
    return { ...trial, made: (await stat(backup)).mtime };
  } catch (error) {
    await trial.close();
    throw error;
  }
}

interface RestoredData {
  tools: string;
  data: string;
  folder: string;
  settings: PostgresSettings;
}

/** Starts a server on a socket in the folder. It neither archives nor waits for standbys, and loads no further library. */
async function serveData(
  { tools, data, folder, settings }: RestoredData,
  user: User,
): Promise<Trial<PostgresSettings>> {
  const hba = join(folder, 'hba.conf');
  await writeFile(hba, 'local all all trust\n');
  await writeFile(join(folder, 'ident.conf'), '');
  await chmod(hba, 0o644);
  const chosen = {
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: folder,
    hba_file: hba,
    ident_file: join(folder, 'ident.conf'),
    archive_mode: 'off',
    hot_standby: 'off',
    synchronous_standby_names: '',
    shared_preload_libraries: '',
    primary_conninfo: '',
    recovery_target_timeline: 'latest',
    recovery_target_action: 'promote',
    ssl: 'off',
    logging_collector: 'off',
    log_destination: 'stderr',
    lc_messages: 'C',
    log_timezone: 'UTC',
    fsync: 'off',
    shared_buffers: '32MB',
    external_pid_file: '',
  };
  const log = join(folder, 'log');
  await mkdir(log, { recursive: true });
  const args = Object.entries(chosen).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(join(tools, 'postgres'), ['-D', data, ...args], {
    ...user,
    cwd: folder,
    env: plainEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (piece: string) => {
    said = (said + piece).slice(-20_000);
  });
  const ended = once(server, 'close');
  const close = async () => {
    if (server.exitCode === null && server.signalCode === null) server.kill('SIGQUIT');
    await ended;
  };
  const { database, user: name } = addressOfServer(settings);
  const { url: _, ssl: _ssl, password: _password, replica: _replica, ...rest } = settings;
  const own: PostgresSettings = { ...rest, host: folder, port: 5432, database, user: name };
  try {
    await acceptsConnections(server, own, () => said);
    return { settings: own, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Resolves once the server is up: after all of the archive was replayed, which may take long. */
async function acceptsConnections(
  server: ChildProcess,
  { host, port }: PostgresSettings,
  said: () => string,
): Promise<void> {
  for (;;) {
    if (server.exitCode !== null || server.signalCode !== null) {
      throw badBackup(
        `the restored server does not start: ${complaintOfProgram({ code: 1, stdout: '', stderr: said() })}`,
      );
    }
    // Any answer but "starting up" (57P03) will do: whether the database and the user exist is seen later.
    const client = new pg.Client({ host, port, database: 'postgres', user: 'postgres' });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      await client.end().catch(() => undefined);
      const { code = '' } = error as { code?: string };
      if (/^[0-9A-Z]{5}$/.test(code) && code !== '57P03') return;
    }
    await sleep(100);
  }
}

async function textOfFile(file: string, missing: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    throw badBackup(missing, cause);
  }
}

function badBackup(message: string, cause?: unknown): Fault {
  return new Fault('unprocessable', message, cause === undefined ? {} : { cause });
}
