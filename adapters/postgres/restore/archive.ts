/**
 * Runs PostgreSQL's own programs, as the user to whom a backup belongs, since PostgreSQL refuses to run as root; and whether
 * the archived write-ahead log continues from a base backup without a hole, and is intact.
 */
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

interface ProgramOutcome {
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

export async function giveTo(path: string, { uid, gid }: User): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}

/** The folder of the programs of this major version, or of the newest one: on the PATH, or where Debian has them. */
export async function folderOfTools(major?: number): Promise<string> {
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
  const { stdout } = await runProgram(join(folder, 'postgres'), ['--version'], {}, folder);
  return Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]);
}

export async function runProgram(
  program: string,
  args: readonly string[],
  user: User,
  cwd: string,
): Promise<ProgramOutcome> {
  const child = spawn(program, args, { ...user, cwd, env: plainEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
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
export function plainEnvironment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' };
}

/** The first line that a program printed about what is wrong, without its name and the severity. */
export function complaintOfProgram({ stdout, stderr }: ProgramOutcome): string {
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => /error|fatal|could not|panic/i.test(line));
  return (lines[0] ?? 'no reason given').replace(/^\S+: (error|fatal): /i, '').trim();
}

// Whether the archived write-ahead log continues from a base backup without a hole, and is intact.

/** Where the write-ahead log of a base backup begins. */
interface BackupStart {
  timeline: number;
  lsn: string;
}

/** Throws an `unprocessable` fault that says what is wrong; returns when the newest segment was archived. */
export async function checkArchive(archive: string, begin: BackupStart, tools: string, user: User): Promise<Date> {
  const names = await readdir(archive).catch((cause) => {
    throw new Fault('unprocessable', `its archive ${archive} cannot be read`, { cause });
  });
  const sizes = new Map<string, number>();
  let newest = new Date(0);
  for (const name of names.filter((one) => /^[0-9A-F]{24}$/.test(one)).sort()) {
    const { size, mtime } = await stat(join(archive, name));
    sizes.set(name, size);
    if (mtime > newest) newest = mtime;
  }
  // All segments of a cluster have the same size, a power of two from 1 MB to 1 GB.
  const bytes = [...sizes.values()].reduce((most, size) => Math.max(most, size), 0);
  if (bytes < 2 ** 20) throw new Fault('unprocessable', `its archive ${archive} has no complete segment`);
  for (const [name, size] of sizes) {
    if (size !== bytes)
      throw new Fault('unprocessable', `the segment ${name} of its archive has ${size} of ${bytes} bytes`);
  }
  const first = numberOf(begin.lsn, bytes);
  // An archive may have hundreds of thousands of segments.
  const own = new Set<number>();
  let [latest, last] = [0, first - 1];
  for (const name of sizes.keys()) {
    latest = Math.max(latest, Number.parseInt(name.slice(0, 8), 16));
    const index = indexOf(name, bytes);
    if (index < first) continue;
    own.add(index);
    last = Math.max(last, index);
  }
  if (own.size === 0) {
    throw new Fault(
      'unprocessable',
      `its archive lacks the segment ${nameOfSegment(begin.timeline, first, bytes)}, where it begins`,
    );
  }
  for (let index = first; index <= last; index++) {
    if (own.has(index)) continue;
    throw new Fault(
      'unprocessable',
      `its archive lacks the segment ${nameOfSegment(begin.timeline, index, bytes)} (or its successor)`,
    );
  }
  if (latest > begin.timeline && !names.includes(`${hex(latest)}.history`)) {
    throw new Fault('unprocessable', `its archive lacks ${hex(latest)}.history`);
  }
  // Reads every record with its checksum, up to the end of the last segment.
  const end = lsnOf(last + 1, bytes);
  const args = ['--quiet', `--path=${archive}`, `--timeline=${latest}`, `--start=${begin.lsn}`, `--end=${end}`];
  const read = await runProgram(join(tools, 'pg_waldump'), args, user, archive);
  const stopped = /(?:error in WAL record at|at) ([0-9A-F]+\/[0-9A-F]+)/.exec(read.stderr)?.[1];
  const isAtEnd = stopped !== undefined && numberOf(stopped, bytes) > last;
  if (read.code !== 0 && !isAtEnd && !read.stderr.includes(nameOfSegment(latest, last + 1, bytes))) {
    throw new Fault('unprocessable', `its archive is damaged: ${complaintOfProgram(read)}`);
  }
  return newest;
}

function positionOf(lsn: string): number {
  const [high = '', low = ''] = lsn.split('/');
  return Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16);
}

function numberOf(lsn: string, bytes: number): number {
  return Math.floor(positionOf(lsn) / bytes);
}

function lsnOf(index: number, bytes: number): string {
  const position = index * bytes;
  return `${Math.floor(position / 2 ** 32).toString(16)}/${(position % 2 ** 32).toString(16)}`.toUpperCase();
}

/** The position of a segment in the log, counted in segments (PostgreSQL documentation, "WAL Internals"). */
function indexOf(name: string, bytes: number): number {
  return Number.parseInt(name.slice(8, 16), 16) * (2 ** 32 / bytes) + Number.parseInt(name.slice(16), 16);
}

function nameOfSegment(timeline: number, index: number, bytes: number): string {
  const each = 2 ** 32 / bytes;
  return `${hex(timeline)}${hex(Math.floor(index / each))}${hex(index % each)}`;
}

function hex(value: number): string {
  return value.toString(16).toUpperCase().padStart(8, '0');
}
