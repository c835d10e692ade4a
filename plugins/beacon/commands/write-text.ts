/** Writes the text of a command's result to a file or to standard output. */
import { BgzfWriter } from '../../../core/files.js';
import { finish, put, writeOutput } from './output.js';

/** Appends text; resolves once more can be written. */
export type Write = (text: string) => Promise<void>;

/**
 * Passes `produce` a function that writes to the file, in bgzip if its name ends in .gz, or to standard output if none is
 * given. A file appears only once all of it is written.
 */
export async function writeText(
  out: string | undefined,
  signal: AbortSignal,
  produce: (write: Write) => Promise<void>,
): Promise<void> {
  await writeOutput(
    out,
    async (target) => {
      const compressed = out?.endsWith('.gz') ? new BgzfWriter(target, { signal }) : undefined;
      await produce((text) => {
        const bytes = Buffer.from(text);
        return compressed ? compressed.write(bytes) : put(target, bytes, signal);
      });
      await compressed?.end();
      await finish(target, signal);
    },
    signal,
  );
}
