/** Writes the text of a command's result to a file or to standard output. */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { unwritable, writeWhole } from '../../../core/files.js';

/** Appends text; resolves once more can be written. */
export type Write = (text: string) => Promise<void>;

/**
 * Passes `produce` a function that writes to the file, compressed if its name ends in .gz, or to standard output if none is
 * given. A file appears only once all of it is written.
 */
export async function writeText(
  out: string | undefined,
  signal: AbortSignal,
  produce: (write: Write) => Promise<void>,
): Promise<void> {
  if (out === undefined) return writeOut(produce, signal);
  await writeWhole(out, (target) => pour(produce, target, { gzip: out.endsWith('.gz'), signal }), signal);
}

/**
 * Writes to standard output, and reports its errors: part of a text is a failure, also if the reader closed the pipe, which
 * other commands ignore.
 */
async function writeOut(produce: (write: Write) => Promise<void>, signal: AbortSignal): Promise<void> {
  const { stdout } = process;
  const others = stdout.listeners('error') as ((error: Error) => void)[];
  const ignore = () => undefined;
  stdout.removeAllListeners('error').on('error', ignore);
  try {
    await pour(produce, stdout, { signal });
  } catch (error) {
    throw unwritable('standard output', error, signal);
  } finally {
    if (!stdout.errored) {
      stdout.off('error', ignore);
      for (const other of others) stdout.on('error', other);
    }
  }
}

async function pour(
  produce: (write: Write) => Promise<void>,
  target: NodeJS.WritableStream,
  { gzip = false, signal }: { gzip?: boolean; signal: AbortSignal },
): Promise<void> {
  const text = new PassThrough();
  const end = target !== process.stdout;
  const written = gzip
    ? pipeline(text, createGzip(), target, { signal, end })
    : pipeline(text, target, { signal, end });
  // A failure is thrown when it is awaited, which may be later.
  written.catch(() => undefined);
  try {
    await produce(async (more) => {
      if (!text.write(more)) await Promise.race([once(text, 'drain'), written]);
    });
    text.end();
  } catch (error) {
    // If the target failed, its error is the cause of this one.
    text.destroy();
    await written;
    throw error;
  }
  await written;
}
