/** The files of the list of erasures: the list, its key, and the additions that are under way. */
import { randomBytes, randomUUID } from 'node:crypto';
import { type FileHandle, link, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { unfinished } from './read.js';
import type { ListEnd } from './record.js';

/** What the key file has. */
export interface KeptKey {
  secret: string;
  /** The end of the list when it was written last; undefined if 0.2 wrote it, which it did at the first erasure. */
  known: ListEnd | undefined;
}

/** Undefined if there is none. */
export async function readKey(path: string): Promise<KeptKey | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const [, secret, number, code] = /^(.*)\n(\d+) ([0-9a-f]*)\n$/s.exec(text.toString('utf8')) ?? [];
  if (secret === undefined || code === undefined) return { secret: text.toString('utf8'), known: undefined };
  return { secret, known: { number: Number(number), code } };
}

/** Makes the key at the first erasure. If several processes do, all use the same one. */
export async function keptKey(path: string): Promise<string> {
  const known = await readKey(path);
  if (known !== undefined) return known.secret;
  await addFile(path, keyText(randomBytes(32).toString('base64'), { number: 0, code: '' }));
  return ((await readKey(path)) as KeptKey).secret;
}

/** Notes in the key file how far the list goes. */
export async function noteInKey(path: string, end: ListEnd): Promise<void> {
  const kept = await readKey(path);
  if (kept === undefined || (kept.known !== undefined && kept.known.number >= end.number)) return;
  const made = await writeAside(path, keyText(kept.secret, end));
  await rename(made, path);
  await syncFolder(path);
}

function keyText(secret: string, { number, code }: ListEnd): string {
  return `${secret}\n${number} ${code}\n`;
}

/** An addition that a process began: the text, and the number of its first line. */
export interface Claim {
  path: string;
  number: number;
  text: string;
}

/** Beside the list, under a name that no copy of it has, such as `list.1` or `list.20260301`: a claim is removed in the end. */
function claimPath(file: string, number: number | ''): string {
  return `${file}.adding-${number}`;
}

/** Returns false if another process claimed the number. */
export async function claim(file: string, number: number, text: string): Promise<boolean> {
  return addFile(claimPath(file, number), text);
}

/** In the order of their numbers. */
export async function claimsOf(file: string): Promise<Claim[]> {
  const own = basename(claimPath(file, ''));
  const claims: Claim[] = [];
  for (const name of await readdir(dirname(file))) {
    const number = name.startsWith(own) ? name.slice(own.length) : '';
    if (!/^[1-9]\d*$/.test(number)) continue;
    const path = join(dirname(file), name);
    const text = await readIfThere(path);
    if (text !== undefined) claims.push({ path, number: Number(number), text: text.toString('utf8') });
  }
  return claims.sort((one, other) => one.number - other.number);
}

/** Writes at the end of the list; a line that was not written to its end gets one. */
export async function append(file: string, text: string): Promise<void> {
  const handle = await open(file, 'a+', 0o600);
  try {
    const { size } = await handle.stat();
    const isWhole = size === 0 || (await lastByte(handle, size)) === 0x0a;
    await handle.appendFile(isWhole ? text : `${unfinished}\n${text}`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(file);
}

export async function readIfThere(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    return undefined;
  });
}

/** Adds a file with all of its text; returns false if it exists. */
async function addFile(path: string, text: string): Promise<boolean> {
  const made = await writeAside(path, text);
  try {
    // Unlike a renamed file, a linked one never replaces that of another process.
    await link(made, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    await rm(made, { force: true });
    await syncFolder(path);
  }
}

async function writeAside(path: string, text: string): Promise<string> {
  const made = `${path}.${randomUUID()}`;
  const handle = await open(made, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return made;
}

/** New files in the folder survive a power cut. */
async function syncFolder(file: string): Promise<void> {
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function lastByte(handle: FileHandle, size: number): Promise<number | undefined> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0];
}
