/** Uploaded files until they are used: `<job id>.<ending>`, and `<job id>.<host>.<pid>.part` during the upload. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { Fault } from '../fault.js';

/** A file that is being received. If `keep` or `discard` fails, the other may still be called. */
export interface Arriving {
  /** Receives and counts the bytes. */
  readonly stream: Writable & { readonly bytesWritten: number };
  /** Waits for the end of the stream; the file then survives a crash. Throws `unavailable` if it cannot be stored. */
  keep(): Promise<void>;
  discard(): Promise<void>;
}

/** The state of the job that an upload was for; undefined if the job is unknown. */
export type Fate = (id: string) => Promise<'live' | 'ended' | undefined>;

export interface UploadFolder {
  /** Opens a new upload, and makes the folder if it does not exist. */
  open(id: string): Promise<Arriving>;
  path(id: string): string;
  remove(id: string): Promise<void>;
  /**
   * Removes files that no job needs: files of jobs that have ended, complete files without a job after ten minutes,
   * parts of uploads whose process is gone, and parts that were not written to for an hour. If `starting`, parts with
   * this process's own id are left over from an earlier process, too.
   */
  sweep(fate: Fate, starting?: boolean): Promise<void>;
}

/** How long a part may go without new data: its process may run on another host. */
const partMs = 3_600_000;
/** How long a complete file may have no job: many times what it takes to queue one. */
const jobMs = 600_000;
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** `ending` is the extension of complete files, letters only. Files with other names are left alone. */
export function uploadFolder(folder: string, ending: string): UploadFolder {
  const ours = new RegExp(`^(${uuid})\\.(?:${ending}|([A-Za-z0-9-]+)\\.(\\d+)\\.part)$`);
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
    path,
    remove: (id) => rm(path(id), { force: true }),

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
  if (!writing.has((cause as NodeJS.ErrnoException).syscall ?? '')) return undefined;
  const headers = { 'Retry-After': '30' };
  return new Fault('unavailable', 'The upload could not be stored: the server has no room or no right', {
    headers,
    cause,
  });
}

function refuse(cause: unknown): never {
  throw notStored(cause) ?? cause;
}
