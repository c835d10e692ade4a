/** Uploads in a folder: `<job id>.<ending>`, and `<job id>.<host>.<pid>.part` while they arrive. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Fault } from '../fault.js';
import { openRegular } from './open.js';
import { storedFile } from './source.js';
import { type Fate, jobId, missingUpload, type Uploads, unstored } from './uploads.js';

/** How long a part may go without new data: its process may run on another host. */
const partMs = 3_600_000;
/** How long a complete file may have no job: many times what it takes to queue one. */
const jobMs = 600_000;

/**
 * The folder is made with the first upload. `ending` is the extension of complete files, letters only. Files with other names are
 * left alone.
 */
export function uploadFolder(folder: string, ending: string): Uploads {
  const ours = new RegExp(`^(${jobId})\\.(?:${ending}|([A-Za-z0-9-]+)\\.(\\d+)\\.part)$`);
  const host = hostname().replace(/[^A-Za-z0-9-]/g, '-') || 'host';
  const path = (id: string) => join(folder, `${id}.${ending}`);

  /** Whether the process that wrote a part is known to be gone. */
  const isGone = (of: string, pid: number, starting: boolean): boolean => {
    if (of !== host) return false;
    return pid === process.pid ? starting : !isAlive(pid);
  };

  async function isLeft(name: string, fate: Fate, starting: boolean): Promise<boolean> {
    const [, id, of, pid] = ours.exec(name) ?? [];
    if (id === undefined) return false;
    if (of !== undefined && isGone(of, Number(pid), starting)) return true;
    const known = of === undefined ? await fate(id) : undefined;
    if (known !== undefined) return known === 'ended';
    const { mtimeMs } = await stat(join(folder, name));
    return Date.now() - mtimeMs > (of === undefined ? jobMs : partMs);
  }

  return {
    remove: (id) => rm(path(id), { force: true }),

    stored: async (id) =>
      storedFile(
        await openRegular(path(id)).catch((cause) => {
          throw missingUpload(cause);
        }),
      ),

    async open(id) {
      await mkdir(folder, { recursive: true, mode: 0o700 }).catch(refuse);
      const part = join(folder, `${id}.${host}.${process.pid}.part`);
      const stream = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
      let failure: unknown;
      stream.on('error', (error) => {
        failure = error;
      });
      const closed = once(stream, 'close').catch(() => undefined);
      return {
        stream,
        async keep() {
          if (!stream.writableEnded) stream.end();
          await closed;
          if (failure !== undefined) refuse(failure);
          await rename(part, path(id)).catch(refuse);
        },
        async discard() {
          stream.destroy();
          await closed;
          await rm(part, { force: true });
        },
      };
    },

    async sweep(fate, starting = false) {
      const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
      for (const name of names) {
        // Another process may have removed it in the meantime.
        const left = await isLeft(name, fate, starting).catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return false;
          throw error;
        });
        if (left) await rm(join(folder, name), { force: true });
      }
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

const writing = new Set(['mkdir', 'open', 'write', 'writev', 'fsync', 'close', 'rename']);

/** Returns the `unavailable` fault for a failed write to the file system; undefined for any other error. */
export function notStored(cause: unknown): Fault | undefined {
  return writing.has((cause as NodeJS.ErrnoException).syscall ?? '') ? unstored(cause) : undefined;
}

function refuse(cause: unknown): never {
  throw notStored(cause) ?? cause;
}
