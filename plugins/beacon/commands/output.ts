/** Where a command writes a file: complete under its name, or to standard output. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { unwritable, writeWhole } from '../../../core/files.js';

/** Writes to the named file, or to standard output if there is no name. `write` ends with `finish`. */
export function writeOutput<Result>(
  out: string | undefined,
  write: (target: Writable) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  return out === undefined ? writeStandard(write, signal) : writeWhole(out, write, signal);
}

/**
 * Writes to standard output, and reports its errors: part of a VCF is a failure, also if the reader closed the pipe, which
 * other commands ignore.
 */
async function writeStandard<Result>(
  write: (target: Writable) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const { stdout } = process;
  const others = stdout.listeners('error') as ((error: Error) => void)[];
  const ignore = () => undefined;
  stdout.removeAllListeners('error').on('error', ignore);
  try {
    return await write(stdout);
  } catch (error) {
    throw unwritable('standard output', error, signal);
  } finally {
    if (!stdout.errored) {
      stdout.off('error', ignore);
      for (const other of others) stdout.on('error', other);
    }
  }
}

/** Writes bytes, and waits until there is room for more. */
export async function put(target: Writable, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  if (target.errored) throw target.errored;
  if (!target.write(bytes)) await once(target, 'drain', { signal });
}

/** Ends a file, and waits until all of it is written; standard output stays open. */
export async function finish(target: Writable, signal: AbortSignal): Promise<void> {
  if (target.errored) throw target.errored;
  if (target === process.stdout) return;
  const finished = once(target, 'finish', { signal });
  target.end();
  await finished;
}
