/**
 * A checkpoint: where all chains stood, in a file outside the storage. Seals in the storage show changes to those who lack
 * the key; only a checkpoint shows that the storage was put back to an earlier state, seals and all.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { Fault } from '../fault.js';
import { writeWhole } from '../files/write.js';
import type { AuditKeys } from './chain.js';
import type { ChainLink } from './contract.js';

export interface Checkpoint {
  written: string;
  heads: readonly (ChainLink & { chain: string })[];
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
  const read = checkpointIn(text);
  if (read === undefined || read.seal !== sealOf(read, keys)) {
    throw new Fault('unprocessable', `${file} is not a checkpoint that was written with this key, or it was changed`);
  }
  return read;
}

/**
 * Returns the heads of all checkpoints in a folder, each once. Throws an `unprocessable` fault if it has none, or one of them is not
 * ours: a damaged one may have known what the others do not.
 */
export async function readCheckpoints(folder: string, keys: AuditKeys): Promise<Pick<Checkpoint, 'heads'>> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.checkpoint')).sort();
  if (files.length === 0) throw new Fault('unprocessable', `The folder ${folder} has no file that ends in .checkpoint`);
  const heads = new Map<string, Checkpoint['heads'][number]>();
  for (const file of files) {
    const read = await readCheckpoint(join(folder, file), keys);
    for (const head of read?.heads ?? []) heads.set(`${head.chain} ${head.sequence} ${head.hash}`, head);
  }
  return { heads: [...heads.values()] };
}

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

/** The text of a checkpoint, sealed. */
export function checkpointText(content: Pick<Checkpoint, 'written' | 'heads'>, keys: AuditKeys): string {
  return `${JSON.stringify({ ...content, seal: sealOf(content, keys) }, null, 2)}\n`;
}

export async function writeCheckpoint(
  file: string,
  content: Pick<Checkpoint, 'written' | 'heads'>,
  { keys, signal }: { keys: AuditKeys; signal: AbortSignal },
): Promise<void> {
  const text = checkpointText(content, keys);
  await writeWhole(file, (target) => finished(target.end(text)), signal);
}

function sealOf({ written, heads }: Pick<Checkpoint, 'written' | 'heads'>, keys: AuditKeys): string {
  return keys.sealOf(JSON.stringify([written, heads.map(({ chain, sequence, hash }) => [chain, sequence, hash])]));
}

function checkpointIn(text: string): Checkpoint | undefined {
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
