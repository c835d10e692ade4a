/**
 * `trefoil backup` and `trefoil backup verify`: a copy of an embedded database, made while the server runs, with a manifest
 * beside it; and whether a backup can be relied on.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { command } from '../commands.js';
import type { Configuration } from '../config.js';
import { Fault, isFault } from '../fault.js';
import type { ChildLog } from '../lazy-log.js';
import { version } from '../package.js';
import { keptIn, migrationName } from '../start/storage.js';
import type { Storage } from '../storage.js';
import { type CoreCommand, configure } from './core-command.js';
import { createSession } from './session.js';

export const backup: CoreCommand = {
  name: 'backup',
  summary: 'copy the embedded database to a file',
  description:
    'Writes a consistent copy of the embedded database to a new file, which only its owner can read, while servers ' +
    'keep running, and beside it a manifest by which `backup verify` checks it. To restore, stop the server and ' +
    'replace the database file with the copy. Back up PostgreSQL with its own tools, such as pg_basebackup.',
  arguments: [{ name: 'file', description: 'the new file; it must not exist', required: true }],
  examples: ['backup /backup/trefoil-2026-11-21.sqlite'],
  async run({ configuration: options, terminal, log, now }, { arguments: [named = ''] }) {
    const file = resolve(named);
    if (await stat(file).catch(() => undefined)) throw new Fault('conflict', `The file ${named} exists already`);
    const configuration = await configure(options);
    const session = createSession(configuration, log());
    // The copy has another name until it is complete, so that a partial one is never taken for a backup.
    const partial = `${file}.${randomUUID()}.partial`;
    const before = process.umask(0o077);
    const began = now();
    try {
      const storage = await session.unchecked();
      if (!storage.copyTo) {
        const { description } = configuration.storage;
        throw new Fault(
          'invalid',
          `This storage (${description}) cannot be copied by this command: use its own tools, such as pg_dump`,
        );
      }
      await writable(partial, named);
      const tables = await storage.copyTo(partial);
      await settle(partial);
      const { size } = await stat(partial);
      const sha256 = await sha256Of(partial);
      const manifest = { format: 1, trefoil: version, made: began.toISOString(), bytes: size, sha256, tables } as const;
      await rm(manifestFile(file), { force: true }); // of a backup that was deleted
      await writeManifest(manifestFile(file), manifest);
      await rename(partial, file);
      await settle(dirname(file));
      const seconds = (now().getTime() - began.getTime()) / 1000;
      terminal.data({ file, bytes: size, seconds });
      terminal.print(`${named}: ${(size / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s`);
      return 0;
    } finally {
      process.umask(before);
      await rm(partial, { force: true });
      await session.close();
    }
  },
};

/** Fails before the copy starts, with a readable message, if the file cannot be written. */
async function writable(file: string, named: string): Promise<void> {
  try {
    await (await open(file, 'wx')).close();
  } catch (error) {
    throw new Fault('invalid', `The file ${named} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Flushes to disk, so that a reported backup survives a power cut. */
async function settle(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

// `trefoil backup verify`: whether a backup can be relied on.

const dayMs = 86_400_000;

export const verifyBackup: CoreCommand = command({
  name: 'backup verify',
  summary: 'find out whether a backup can be relied on',
  description:
    'Checks every file of a backup, restores it to a temporary folder, reads all of it as `check --deep` does, counts its ' +
    'rows, and compares its age with --max-age. A backup is a file of `trefoil backup`, a file of `pg_dump --format=custom` ' +
    'with its .sha256 file, or a folder of pg_basebackup, whose archive is given by --wal. Exit code 1, and one sentence, ' +
    'if it cannot be relied on. The configured database is not touched.',
  arguments: [{ name: 'path', description: 'the file or folder of the backup', required: true }],
  options: [
    { flags: '--wal <folder>', description: 'the folder to which archive_command copies the write-ahead log' },
    { flags: '--max-age <days>', description: 'the age from which it is too old', default: 8 },
    { flags: '--tmp <folder>', description: 'where it is restored; it needs as much space again' },
    { flags: '--textfile <file>', description: 'also writes the result there, for the node exporter of Prometheus' },
  ],
  examples: ['backup verify backup.sqlite', 'backup verify /backup/base --wal /backup/wal --max-age 2'],
  async run({ configuration: options, terminal, log, now }, { arguments: [named = ''], options: chosen }) {
    const configuration = await configure(options);
    const { wal, maxAge, tmp } = chosen;
    // Empty in a unit whose environment does not set it.
    const textfile = chosen.textfile || undefined;
    if (maxAge <= 0) throw new Fault('invalid', '--max-age must be above 0');
    const backup = resolve(named);
    let found: VerifiedBackup;
    try {
      found = await verified(configuration, { backup, named, wal, maxAge, tmp, now }, log());
    } catch (error) {
      if (textfile !== undefined) {
        // What is wrong with the backup is the reason to report.
        await report(textfile, { now: now(), found: undefined }).catch(({ message }: Fault) => terminal.note(message));
      }
      throw error;
    }
    if (textfile !== undefined) await report(textfile, { now: now(), found });
    const { made, tables, rows, pending } = found;
    terminal.data({ backup, made: made.toISOString(), tables, rows, pending });
    terminal.print(`${named} can be relied on: ${rows} rows in ${tables} tables, up to ${made.toISOString()}`);
    if (pending.length > 0) terminal.note(`After a restore run trefoil migrate: ${pending.join(', ')}`);
    return 0;
  },
});

interface VerifiedBackup {
  made: Date;
  tables: number;
  rows: number;
  pending: string[];
}

interface VerifyRequest {
  backup: string;
  /** The backup as it is named in messages. */
  named: string;
  wal: string | undefined;
  maxAge: number;
  tmp: string | undefined;
  now(): Date;
}

/** Throws a fault that says why the backup cannot be relied on, or cannot be verified. */
async function verified(configuration: Configuration, asked: VerifyRequest, log: ChildLog): Promise<VerifiedBackup> {
  const { backup, named, wal, maxAge, tmp, now } = asked;
  if (!(await stat(backup).catch(() => undefined))) throw new Fault('not-found', `There is no backup ${named}`);
  const folder = await mkdtemp(join(resolve(tmp ?? tmpdir()), 'trefoil-trial-')).catch((cause) => {
    throw new Fault('invalid', `The backup cannot be restored below ${tmp ?? tmpdir()}: no folder can be made`, {
      cause,
    });
  });
  try {
    const archive = wal === undefined ? undefined : resolve(wal);
    const found = await tried(configuration, { backup, archive, folder }, log);
    const days = (now().getTime() - found.made.getTime()) / dayMs;
    if (days > maxAge) {
      const newest = `it ends at ${found.made.toISOString()}, ${days.toFixed(1)} days ago`;
      throw new Fault('unprocessable', `${newest}, and --max-age is ${maxAge}`);
    }
    return found;
  } catch (error) {
    if (!isFault(error) || error.code !== 'unprocessable') throw error;
    throw new Fault('unprocessable', `The backup ${named} cannot be relied on: ${error.message}`, { cause: error });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface TrialPlace {
  backup: string;
  archive: string | undefined;
  folder: string;
}

async function tried(configuration: Configuration, place: TrialPlace, log: ChildLog): Promise<VerifiedBackup> {
  const { adapter, settings, description } = configuration.storage;
  if (adapter.tryBackup === undefined) {
    throw new Fault('invalid', `Backups of this storage (${description}) cannot be verified by this command`);
  }
  // Servers have tools of their own, whose backups have other manifests.
  const manifest = adapter.file === undefined ? undefined : await confirmedManifest(place.backup);
  const trial = await adapter.tryBackup({ settings, ...place });
  try {
    const storage = await adapter.open({ settings: trial.settings, ...keptIn(configuration), log });
    try {
      const made = trial.made ?? new Date(manifest?.made ?? Number.NaN);
      return { made, ...(await readBackup(storage, manifest?.tables)) };
    } finally {
      await storage.close();
    }
  } catch (error) {
    // A database that cannot be opened or read is what this command looks for.
    if (!isFault(error) || error.code !== 'unavailable') throw error;
    throw new Fault('unprocessable', `restored, it does not work: ${error.message}`, { cause: error });
  } finally {
    await trial.close();
  }
}

async function readBackup(storage: Storage, expected: Manifest['tables'] = {}): Promise<Omit<VerifiedBackup, 'made'>> {
  const pending = (await storage.pending()).map(migrationName);
  const [problem, ...others] = (await storage.verify?.()) ?? [];
  if (problem !== undefined) {
    const more = others.length === 0 ? '' : ` (and ${others.length} problems more)`;
    throw new Fault('unprocessable', `its database is damaged: ${problem}${more}`);
  }
  const counts = (await storage.rowCounts?.()) ?? {};
  for (const [table, rows] of Object.entries(expected)) {
    if (counts[table] !== rows) {
      throw new Fault('unprocessable', `${table} has ${counts[table] ?? 'no'} rows, and its manifest says ${rows}`);
    }
  }
  const damage = pending.length === 0 ? ((await storage.damaged?.()) ?? []) : [];
  if (damage[0] !== undefined) {
    throw new Fault(
      'unprocessable',
      `${damage.length} rows cannot be read, such as ${damage[0].row} of ${damage[0].table}`,
    );
  }
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { tables: Object.keys(counts).length, rows, pending };
}

/** Written under another name first, since the exporter may read it at any time. */
async function report(file: string, { now, found }: { now: Date; found: VerifiedBackup | undefined }): Promise<void> {
  const seconds = (time: Date) => Math.floor(time.getTime() / 1000);
  const lines = [
    '# HELP trefoil_backup_reliable Whether the last verified backup can be relied on',
    '# TYPE trefoil_backup_reliable gauge',
    `trefoil_backup_reliable ${found === undefined ? 0 : 1}`,
    '# HELP trefoil_backup_verified_timestamp_seconds When a backup was verified last',
    '# TYPE trefoil_backup_verified_timestamp_seconds gauge',
    `trefoil_backup_verified_timestamp_seconds ${seconds(now)}`,
  ];
  if (found !== undefined) {
    lines.push(
      '# HELP trefoil_backup_made_timestamp_seconds Up to when the backup can restore',
      '# TYPE trefoil_backup_made_timestamp_seconds gauge',
      `trefoil_backup_made_timestamp_seconds ${seconds(found.made)}`,
    );
  }
  try {
    await writeFile(`${file}.partial`, `${lines.join('\n')}\n`);
    await rename(`${file}.partial`, file);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Fault('invalid', `The file ${file} of --textfile cannot be written (${code})`, { cause });
  }
}

// The description of a backup of an embedded database, in a file beside it.

const shape = z.strictObject({
  format: z.literal(1),
  /** The version of Trefoil that made it. */
  trefoil: z.string(),
  made: z.iso.datetime(),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Rows of each table. */
  tables: z.record(z.string(), z.int().min(0)),
});

type Manifest = z.output<typeof shape>;

function manifestFile(backup: string): string {
  return `${backup}.manifest.json`;
}

/** Fails if the file exists. */
async function writeManifest(file: string, manifest: Manifest): Promise<void> {
  const text = JSON.stringify(manifest, null, 2);
  await writeFile(file, `${JSON.stringify({ manifest: text, digest: digestOf(text) }, null, 2)}\n`, {
    flag: 'wx',
    flush: true,
  });
}

/** Reads the manifest of a backup, and compares the backup with it: an `unprocessable` fault says what is wrong. */
async function confirmedManifest(backup: string): Promise<Manifest> {
  const manifest = await readManifest(manifestFile(backup));
  const { size } = await stat(backup);
  if (size !== manifest.bytes) {
    throw damaged(`it has ${size} bytes, and its manifest says ${manifest.bytes}`);
  }
  if ((await sha256Of(backup)) !== manifest.sha256) throw damaged('its content is not what its manifest says');
  return manifest;
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash.digest('hex');
}

async function readManifest(file: string): Promise<Manifest> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw damaged(`its manifest ${file} is missing or cannot be read`, cause);
  }
  const { manifest = '', digest } = parsedManifest(text) as { manifest?: string; digest?: string };
  if (typeof manifest !== 'string' || digest !== digestOf(manifest)) throw damaged(`its manifest ${file} is damaged`);
  const found = shape.safeParse(parsedManifest(manifest));
  if (!found.success) throw damaged(`its manifest ${file} is of another version of Trefoil`);
  return found.data;
}

function parsedManifest(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function damaged(message: string, cause?: unknown): Fault {
  return new Fault('unprocessable', message, cause === undefined ? {} : { cause });
}
