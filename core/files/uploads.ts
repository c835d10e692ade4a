/**
 * Uploaded files until they are used, in a folder or in a bucket: each has the id of the job that it is for, and is removed
 * when it is no longer needed.
 */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { Fault, isFault } from '../fault.js';
import type { Jobs, PluginContext } from '../plugin-context.js';
import { openRegular } from './open.js';
import { type Stored, storedFile } from './source.js';

/** A file that is being received. If `keep` or `discard` fails, the other may still be called. */
export interface Arriving {
  /** Receives and counts the bytes. */
  readonly stream: Writable & { readonly bytesWritten: number };
  /** Waits for the end of the stream; the file then survives a crash. Throws `unavailable` if it cannot be stored. */
  keep(): Promise<void>;
  discard(): Promise<void>;
}

/** The state of the job that an upload was for; undefined if the job is unknown. */
type Fate = (id: string) => Promise<'live' | 'ended' | undefined>;

export interface Uploads {
  /** Opens a new upload. Throws `unavailable` if it cannot be stored. */
  open(id: string): Promise<Arriving>;
  /** A complete upload. Throws `unavailable` if it is not there, or cannot be read. */
  stored(id: string): Promise<Stored>;
  remove(id: string): Promise<void>;
  /**
   * Removes what no job needs: files of jobs that have ended, complete files that have no job for long, and uploads that were
   * broken off. If `starting`, parts with this process's own id are left over from an earlier process, too.
   */
  sweep(fate: Fate, starting?: boolean): Promise<void>;
}

/** Of the ids of jobs, for names of uploads. */
export const jobId = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** The fault for an upload that has no room: the client may send it again. */
export function unstoredUpload(cause: unknown): Fault {
  const headers = { 'Retry-After': '30' };
  return new Fault('unavailable', 'The upload could not be stored: the server has no room or no right', {
    headers,
    cause,
  });
}

/** The fault for an upload that is not there: another server on this database may have it. */
export function missingUpload(cause: unknown): Fault {
  return new Fault('unavailable', 'The uploaded file is not on this server', { cause });
}

// Uploads in a folder: `<job id>.<ending>`, and `<job id>.<host>.<pid>.part` while they arrive.

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
  return writing.has((cause as NodeJS.ErrnoException).syscall ?? '') ? unstoredUpload(cause) : undefined;
}

function refuse(cause: unknown): never {
  throw notStored(cause) ?? cause;
}

// Removes uploads that are no longer needed: at the start, soon after a job, and every minute.

const everyMs = 60_000;
/** By then the end of a job has usually been stored. */
const soonMs = 500;

/** Returns a function to call when an attempt on an upload has ended. */
export function keepUploads(
  { jobs, log, onReady, onClose }: Pick<PluginContext<unknown>, 'jobs' | 'log' | 'onReady' | 'onClose'>,
  uploads: Uploads,
): () => void {
  const timers = new Set<NodeJS.Timeout>();
  let sweeping: Promise<void> = Promise.resolve();
  let closed = false;

  const sweep = (starting = false): Promise<void> => {
    sweeping = sweeping.then(async () => {
      if (closed) return;
      try {
        await uploads.sweep(fateOf(jobs), starting);
      } catch (error) {
        const reason = isFault(error) ? error.message : (error as NodeJS.ErrnoException).code;
        log.warn({ reason }, 'uploads not cleared away');
      }
    });
    return sweeping;
  };

  onReady(async () => {
    await sweep(true);
    timers.add(setInterval(() => void sweep(), everyMs).unref());
  });
  onClose(async () => {
    closed = true;
    for (const timer of timers) clearTimeout(timer);
    await sweeping;
  });

  return () => {
    if (closed) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      void sweep();
    }, soonMs).unref();
    timers.add(timer);
  };
}

function fateOf(jobs: Pick<Jobs, 'find'>): Fate {
  return async (id) => {
    const job = await jobs.find(id);
    return job && (job.state === 'queued' || job.state === 'running' ? 'live' : 'ended');
  };
}
