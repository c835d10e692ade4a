/**
 * A checkpoint: where all chains stood, in a file outside the storage. Seals in the storage show changes to those who lack
 * the key; only a checkpoint shows that the storage was put back to an earlier state, seals and all.
 */
import { readFile } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { Fault } from '../fault.js';
import { writeWhole } from '../files/write.js';
import type { Link } from './contract.js';
import type { AuditKeys } from './keys.js';

export interface Checkpoint {
  written: string;
  heads: readonly (Link & { chain: string })[];
  /** Over both; only the server's key makes it. */
  seal: string;
}

/** Returns the checkpoint in the file; undefined if there is no file. Throws an `unprocessable` fault if it is not ours. */
export async function readCheckpoint(file: string, keys: AuditKeys): Promise<Checkpoint | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new Fault('unprocessable', `The checkpoint ${file} cannot be read (${code})`, { cause: error });
  }
  const read = parsed(text);
  if (read === undefined || read.seal !== sealOf(read, keys)) {
    throw new Fault('unprocessable', `${file} is not a checkpoint that was written with this key, or it was changed`);
  }
  return read;
}

export async function writeCheckpoint(
  file: string,
  content: Pick<Checkpoint, 'written' | 'heads'>,
  { keys, signal }: { keys: AuditKeys; signal: AbortSignal },
): Promise<void> {
  const text = `${JSON.stringify({ ...content, seal: sealOf(content, keys) }, null, 2)}\n`;
  await writeWhole(file, (target) => finished(target.end(text)), signal);
}

function sealOf({ written, heads }: Pick<Checkpoint, 'written' | 'heads'>, keys: AuditKeys): string {
  return keys.sealOf(JSON.stringify([written, heads.map(({ chain, sequence, hash }) => [chain, sequence, hash])]));
}

function parsed(text: string): Checkpoint | undefined {
  try {
    const { written, heads, seal } = JSON.parse(text);
    const isSound = typeof written === 'string' && typeof seal === 'string' && Array.isArray(heads);
    return isSound && heads.every((one) => typeof one === 'object' && one !== null)
      ? { written, heads, seal }
      : undefined;
  } catch {
    return undefined;
  }
}
