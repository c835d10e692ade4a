/** Runs PostgreSQL's own programs, as the user to whom a backup belongs: PostgreSQL refuses to run as root. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { access, chown, readdir, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Fault } from '../../../core/storage.js';

export interface User {
  uid?: number;
  gid?: number;
}

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The owner of the backup if this process is root's, else none: the user of this process. */
export async function userFor(backup: string): Promise<User> {
  if (process.getuid?.() !== 0) return {};
  const { uid, gid } = await stat(backup);
  if (uid === 0) {
    throw new Fault('invalid', 'PostgreSQL does not run as root: run this command as another user, such as postgres');
  }
  return { uid, gid };
}

export async function own(path: string, { uid, gid }: User): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}

/** The folder of the programs of this major version, or of the newest one: on the PATH, or where Debian has them. */
export async function toolsOf(major?: number): Promise<string> {
  const debian = '/usr/lib/postgresql';
  const versions = await readdir(debian).catch(() => [] as string[]);
  const newest = versions.map(Number).sort((a, b) => b - a);
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''),
    ...newest.map((version) => join(debian, String(version), 'bin')),
  ];
  for (const folder of folders) {
    const found = await versionIn(folder);
    if (found !== undefined && (major === undefined || found === major)) return folder;
  }
  const which = major === undefined ? 'PostgreSQL' : `PostgreSQL ${major}, which made this backup,`;
  throw new Fault('invalid', `The server programs of ${which} are not installed on this machine`);
}

async function versionIn(folder: string): Promise<number | undefined> {
  try {
    for (const tool of ['postgres', 'initdb', 'pg_restore', 'pg_verifybackup', 'pg_waldump']) {
      await access(join(folder, tool), constants.X_OK);
    }
  } catch {
    return undefined;
  }
  const { stdout } = await run(join(folder, 'postgres'), ['--version'], {}, folder);
  return Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]);
}

export async function run(program: string, args: readonly string[], user: User, cwd: string): Promise<Outcome> {
  const child = spawn(program, args, { ...user, cwd, env: plain(), stdio: ['ignore', 'pipe', 'pipe'] });
  const outcome = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      outcome[name] += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...outcome };
}

/** Without variables that lead to another server or language. */
export function plain(): Record<string, string> {
  return { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' };
}

/** The first line that a program printed about what is wrong, without its name and the severity. */
export function complaintOf({ stdout, stderr }: Outcome): string {
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => /error|fatal|could not|panic/i.test(line));
  return (lines[0] ?? 'no reason given').replace(/^\S+: (error|fatal): /i, '').trim();
}
