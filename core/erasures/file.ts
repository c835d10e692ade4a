/**
 * The files of the list of erasures: its lines and what is wrong with their order, its key, and the additions that are under
 * way.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { type FileHandle, link, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { digestOfBytes, type ErasureRecord, type ListEnd, type ListKey, readLine } from './record.js';

/** The list as it is at a moment. */
export interface ListState {
  /** Of all lines that can be read. */
  records: readonly ErasureRecord[];
  end: ListEnd;
  /** The code of each line by its number. */
  codes: ReadonlyMap<number, string>;
  /** The number of the last line that accepted what was before it; 0 if there is none. */
  accepted: number;
  /** Whether it is a list of 0.2: its lines are not chained yet. */
  isPlain: boolean;
  /** Lines that cannot be read. */
  unreadable: number;
  /** Up to the end of the last whole line, with what ends a line that was not written to its end. */
  bytes: Buffer;
  /** Why it cannot be relied on. */
  problem?: string;
}

/** Ends a line that was not written to its end, because the process was killed: nothing was erased then. */
const unfinished = ' #unfinished';

/** An undefined key reads nothing. */
export function readList(file: Buffer, key: ListKey | undefined): ListState {
  const records: ErasureRecord[] = [];
  const codes = new Map<number, string>();
  let end: ListEnd = { number: 0, code: '' };
  let [accepted, plain, unreadable, problem] = [0, 0, 0, undefined as string | undefined];
  let number = 0;
  for (const { text, offset } of linesOfList(file)) {
    number += 1;
    if (text.endsWith(unfinished)) continue;
    const line = key === undefined ? 'of another key' : readLine(text, key);
    if (line === 'damaged' || line === 'of another key') {
      unreadable += 1;
      problem ??= `line ${number} ${line === 'damaged' ? 'is damaged' : 'was encrypted with another key'}`;
      continue;
    }
    if (line.form === 'plain') {
      // A server of 0.2 would write such a line.
      if (codes.size > 0) problem ??= `line ${number} has no number, unlike the one before it`;
      records.push(line.record);
      plain += 1;
      end = { number: end.number + 1, code: '' };
      continue;
    }
    // Two processes completed the same addition.
    if (codes.get(line.end.number) === line.end.code) continue;
    if (line.form === 'accepted') {
      if (digestOfBytes(file.subarray(0, offset)) === line.covers) {
        [accepted, problem] = [line.end.number, undefined];
      } else problem ??= `line ${number} accepted other lines than those before it`;
    } else {
      const follows = line.end.number === end.number + 1 && line.previous === end.code;
      if (!follows || (plain > 0 && codes.size === 0)) problem ??= `line ${number} does not follow the one before it`;
      records.push(line.record);
    }
    end = line.end;
    codes.set(end.number, end.code);
  }
  return {
    records,
    end,
    codes,
    accepted,
    isPlain: plain > 0 && codes.size === 0,
    unreadable,
    bytes: ended(file),
    ...(problem !== undefined && { problem }),
  };
}

/** Why the list is not all that is known of it; undefined if it is. */
export function lostFrom({ end, codes, accepted }: ListState, known: ListEnd, knower: string): string | undefined {
  if (end.number < known.number) {
    return `${endOfList(end)}, but ${knower} of ${known.number}`;
  }
  if (known.number < accepted || known.code === '' || codes.get(known.number) === known.code) return undefined;
  return `its line ${known.number} is not the one that ${knower} of`;
}

export function endOfList({ number }: ListEnd): string {
  return number === 0 ? 'it is missing or empty' : `it ends after line ${number}`;
}

/** The file with the end that the next addition gives a line that was not written to its end. */
function ended(file: Buffer): Buffer {
  if (file.length === 0 || file.at(-1) === 0x0a) return file;
  return Buffer.concat([file, Buffer.from(`${unfinished}\n`)]);
}

/** The whole lines, without their ends. */
function* linesOfList(file: Buffer): Generator<{ text: string; offset: number }> {
  for (let offset = 0; ; ) {
    const next = file.indexOf(0x0a, offset);
    if (next < 0) return;
    yield { text: file.toString('utf8', offset, next), offset };
    offset = next + 1;
  }
}

// The files of the list of erasures.

/** What the key file has. */
interface KeptKey {
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
export interface ClaimedAddition {
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
export async function claimsOfFile(file: string): Promise<ClaimedAddition[]> {
  const own = basename(claimPath(file, ''));
  const claims: ClaimedAddition[] = [];
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
