/** Writes files for commands: always complete under their name, and not readable by others. */
import { createWriteStream } from 'node:fs';
import { chmod, rename, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { Fault } from '../fault.js';

/**
 * Writes to a temporary file beside it first, so that the named file is always complete; writes directly into a pipe or
 * device. Only its owner can read and write a new file (0600 less the umask); a replaced file keeps its mode. Throws an
 * `unprocessable` fault if the system refuses, and the errors of `write` unchanged.
 */
export async function writeWhole<Result>(
  path: string,
  write: (target: Writable) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const existing = await stat(path).catch(() => undefined);
  const beside = !existing || existing.isFile() ? `${path}.unfinished-${process.pid}` : undefined;
  const target = createWriteStream(beside ?? path, { flags: beside === undefined ? 'w' : 'wx', mode: 0o600 });
  // An error is thrown by the next write, or by its end.
  target.on('error', () => undefined);
  try {
    const result = await write(target);
    if (beside !== undefined) {
      if (existing) await chmod(beside, existing.mode & 0o777);
      await rename(beside, path);
    }
    return result;
  } catch (error) {
    target.destroy();
    if (beside !== undefined) {
      // A file that is still being opened would appear after it was removed.
      await new Promise<void>((resolve) => (target.closed ? resolve() : target.once('close', resolve)));
      await rm(beside, { force: true });
    }
    throw unwritable(path, error, signal);
  }
}

/** Returns the fault for a file or stream that the system refuses to write; any other error, or an abort, unchanged. */
export function unwritable(name: string, error: unknown, signal: AbortSignal): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (signal.aborted || error instanceof Fault || syscall === undefined) return error;
  const why = code === 'EPIPE' ? 'the reader closed it' : code === 'ENOSPC' ? 'there is no space left' : code;
  return new Fault('unprocessable', `${name} cannot be written (${why})`, { cause: error });
}
