/** Uploaded files until they are used: `<job id>.<ending>`, and `<job id>.<host>.<pid>.part` while one arrives. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { Fault } from '../fault.js';

/** A file that arrives. Either way of ending it may be called once the other has failed. */
export interface Arriving {
  /** Takes the bytes, and counts them. */
  readonly stream: Writable & { readonly bytesWritten: number };
  /** Waits for the end of the stream; from then on the file outlasts a crash. Throws an `unavailable` fault where it cannot. */
  keep(): Promise<void>;
  discard(): Promise<void>;
}

/** What has become of the job that an upload was for; undefined where no such job is known. */
export type Fate = (id: string) => Promise<'live' | 'ended' | undefined>;

export interface UploadFolder {
  /** Makes room for an upload, and the folder where it is not there. */
  open(id: string): Promise<Arriving>;
  path(id: string): string;
  remove(id: string): Promise<void>;
  /**
   * Removes what no job needs any more: files of jobs that have ended, complete files without a job after ten minutes,
   * parts of uploads whose process is gone, and parts that were not written to for an hour. At the start of the process
   * its own parts are such, too.
   */
  sweep(fate: Fate, starting?: boolean): Promise<void>;
}

/** For so long a part that arrives may stand still: its process may run on another host. */
const partMs = 3_600_000;
/** For so long a complete file may have no job: many times what it takes to queue one. */
const jobMs = 600_000;
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** `ending` is what complete files are called by: letters. Files of other names are left alone. */
export function uploadFolder(folder: string, ending: string): UploadFolder {
  const ours = new RegExp(`^(${uuid})\\.(?:${ending}|([A-Za-z0-9-]+)\\.(\\d+)\\.part)$`);
  const host = hostname().replace(/[^A-Za-z0-9-]/g, '-') || 'host';
  const path = (id: string) => join(folder, `${id}.${ending}`);

  /** Whether the writer of a part can be known to be gone. */
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

/** The `unavailable` fault for an error of the file system; undefined for any other error. */
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
