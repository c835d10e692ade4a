/** Uploaded files until they are used, in a folder or in a bucket: each has the id of the job that it is for. */
import type { Writable } from 'node:stream';
import { Fault } from '../fault.js';
import type { Stored } from './source.js';

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
export function unstored(cause: unknown): Fault {
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
