/** A folder for uploaded interval files. Each bears the id of its job and lies there until that has ended. */
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Fault, isFault, type Job, type Jobs } from '../../../core/plugin.js';

const hour = 3_600_000;
const ours = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?:intervals|part)$/;

export interface UploadFolder {
  path(job: string): string;
  /** Takes a body in. Throws `too-large` where the body does, `unavailable` where there is no room, `invalid` if cut short. */
  receive(job: string, body: Readable): Promise<void>;
  remove(job: string): Promise<void>;
  /** Removes the files of jobs that have ended, and what belongs to no job and was not written to for an hour. */
  sweep(jobs: Pick<Jobs, 'find'>): Promise<void>;
}

export function uploadFolder(folder: string): UploadFolder {
  const path = (job: string) => join(folder, `${job}.intervals`);
  const part = (job: string) => join(folder, `${job}.part`);
  return {
    path,
    remove: (job) => rm(path(job), { force: true }),

    async receive(job, body) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await pipeline(body, createWriteStream(part(job), { flags: 'wx', mode: 0o600, flush: true }));
        await rename(part(job), path(job));
      } catch (cause) {
        await rm(part(job), { force: true });
        throw isFault(cause) ? cause : failure(cause);
      }
    },

    async sweep(jobs) {
      for (const name of await namesIn(folder)) {
        const id = ours.exec(name)?.[1];
        if (id !== undefined && (await isLeft(join(folder, name), await jobs.find(id)))) {
          await rm(join(folder, name), { force: true });
        }
      }
    },
  };
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function isLeft(path: string, job: Job | undefined): Promise<boolean> {
  if (job) return job.state !== 'queued' && job.state !== 'running';
  // Another process may have removed it in the meantime.
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > hour;
}

const writing = new Set(['mkdir', 'open', 'write', 'writev', 'fsync', 'close', 'rename']);

function failure(cause: unknown): Fault {
  return writing.has((cause as NodeJS.ErrnoException).syscall ?? '')
    ? new Fault('unavailable', 'The upload could not be stored: the server has no room or no right', { cause })
    : new Fault('invalid', 'The body ended before its announced length', { cause });
}
