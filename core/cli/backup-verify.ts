/** `trefoil backup verify`: whether a backup can be relied on. */
import { mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { confirmedManifest, type Manifest } from '../backup/manifest.js';
import type { Configuration } from '../config.js';
import { Fault, isFault } from '../fault.js';
import type { ChildLog } from '../lazy-log.js';
import { keptIn, migrationName } from '../start/storage.js';
import type { Storage } from '../storage.js';
import { configure } from './configured.js';
import type { CoreCommand } from './core-command.js';

const dayMs = 86_400_000;

export const verifyBackup: CoreCommand = {
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
    const { wal, maxAge, tmp } = chosen as { wal?: string; maxAge: number; tmp?: string };
    // Empty in a unit whose environment does not set it.
    const textfile = chosen.textfile === '' ? undefined : (chosen.textfile as string | undefined);
    if (maxAge <= 0) throw new Fault('invalid', '--max-age must be above 0');
    const backup = resolve(named);
    let found: Found;
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
};

interface Found {
  made: Date;
  tables: number;
  rows: number;
  pending: string[];
}

interface Asked {
  backup: string;
  /** The backup as it is named in messages. */
  named: string;
  wal: string | undefined;
  maxAge: number;
  tmp: string | undefined;
  now(): Date;
}

/** Throws a fault that says why the backup cannot be relied on, or cannot be verified. */
async function verified(configuration: Configuration, asked: Asked, log: ChildLog): Promise<Found> {
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

interface Place {
  backup: string;
  archive: string | undefined;
  folder: string;
}

async function tried(configuration: Configuration, place: Place, log: ChildLog): Promise<Found> {
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
      return { made, ...(await read(storage, manifest?.tables)) };
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

async function read(storage: Storage, expected: Manifest['tables'] = {}): Promise<Omit<Found, 'made'>> {
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
async function report(file: string, { now, found }: { now: Date; found: Found | undefined }): Promise<void> {
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
