/** `trefoil backup`: a copy of an embedded database, made while the server runs. */
import { randomUUID } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { manifestFile, sha256Of, writeManifest } from '../backup/manifest.js';
import { Fault } from '../fault.js';
import { version } from '../package.js';
import { configure } from './configured.js';
import type { CoreCommand } from './core-command.js';
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
