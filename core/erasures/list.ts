/**
 * The list of erasures: a file outside the database, so that a database that was restored from an older backup can be made to
 * agree with it. Lines are only ever added, and an erasure is on it before anything is erased.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { type FileHandle, link, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault } from '../fault.js';
import { type ErasureRecord, readRecord, writeRecord } from './record.js';

/** Why something may not be stored. */
export interface Barred {
  /** A standing objection to sharing, or an erasure after the data was requested to be stored. */
  readonly reason: 'objection' | 'erasure';
  readonly at: Date;
}

/** What plugins ask of the list. */
export interface Erasures {
  /**
   * Those of these ids that may not be stored where others can find, count or compare with them: of people who object, and
   * of people who were erased after `since`, when the data was requested or began to be read. Throws an `unavailable` fault if
   * the list cannot be read.
   */
  barred(what: 'sample' | 'patient', ids: readonly string[], since: Date): Promise<ReadonlyMap<string, Barred>>;
  /** The ids of all people who object to sharing. */
  objecting(what: 'sample' | 'patient'): Promise<ReadonlySet<string>>;
}

export interface ErasureList extends Erasures {
  /** Undefined if the configuration has no place for it: it is then empty. */
  readonly file: string | undefined;
  /** Oldest first. Throws an `unavailable` fault if the list cannot be read. */
  records(): Promise<readonly ErasureRecord[]>;
  /** Resolves once the records survive a power cut. Throws an `unavailable` fault if they cannot be written. */
  add(records: readonly ErasureRecord[]): Promise<void>;
}

export interface ListOptions {
  file: string | undefined;
  /** The configured key; one beside the file if undefined. */
  key: string | undefined;
  /** Whether the folder of the file must exist: a missing one is a volume that is not mounted. */
  isNamed: boolean;
}

/** Ends a line that was not written to its end, because the process was killed: nothing was erased then. */
const unfinished = ' #unfinished';

export function createErasureList({ file, key, isNamed }: ListOptions): ErasureList {
  let known: { version: string; content: Content } | undefined;

  async function content(): Promise<Content> {
    if (file === undefined) return nothing;
    try {
      const { ino, size, mtimeMs } = await stat(file);
      const version = `${ino} ${size} ${mtimeMs}`;
      if (known?.version !== version) {
        known = { version, content: contentOf(await recordsIn(file, key)) };
      }
      return known.content;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined || error instanceof Fault) throw error;
      const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
      if (isMissing && (!isNamed || (await isThere(dirname(file))))) return nothing;
      throw new Fault('unavailable', `The list of erasures ${file} cannot be read (${code})`, { cause: error });
    }
  }

  return {
    file,
    records: async () => (await content()).records,
    async add(records) {
      if (file === undefined || records.length === 0) return;
      // A list that cannot be read must not grow.
      await content();
      try {
        const secret = key ?? (await keptKey(`${file}.key`));
        await append(file, records.map((record) => `${writeRecord(record, secret)}\n`).join(''));
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        throw new Fault('unavailable', `The list of erasures ${file} cannot be written (${code})`, { cause: error });
      }
    },
    async barred(what, ids, since) {
      const { objections, erased } = (await content())[what];
      const found = new Map<string, Barred>();
      for (const id of ids) {
        const [objected, gone] = [objections.get(id), erased.get(id)];
        if (objected) found.set(id, { reason: 'objection', at: objected });
        else if (gone && gone > since) found.set(id, { reason: 'erasure', at: gone });
      }
      return found;
    },
    objecting: async (what) => new Set((await content())[what].objections.keys()),
  };
}

interface Content {
  records: readonly ErasureRecord[];
  sample: Standing;
  patient: Standing;
}

/** When each id was erased last, and since when it objects. */
interface Standing {
  erased: ReadonlyMap<string, Date>;
  objections: ReadonlyMap<string, Date>;
}

const nothing: Content = contentOf([]);

function contentOf(records: readonly ErasureRecord[]): Content {
  return { records, sample: standing(records, 'sample'), patient: standing(records, 'patient') };
}

function standing(records: readonly ErasureRecord[], what: 'sample' | 'patient'): Standing {
  const [erased, objections] = [new Map<string, Date>(), new Map<string, Date>()];
  for (const { at, does, erasure } of records) {
    const { id, names, holder, scope } = erasure;
    if ((names !== undefined && names !== what) || typeof holder === 'object') continue;
    if (does === 'permit') objections.delete(id);
    else if (scope === 'sharing') objections.set(id, objections.get(id) ?? at);
    else erased.set(id, at);
  }
  return { erased, objections };
}

async function recordsIn(file: string, configured: string | undefined): Promise<ErasureRecord[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  // After the last end of a line there is nothing, or what a killed process wrote.
  lines.pop();
  if (lines.length === 0) return [];
  const secret = configured ?? (await readFile(`${file}.key`, 'utf8').catch(() => undefined));
  const unreadable = (why: string, cause?: unknown) =>
    new Fault('unavailable', `The list of erasures ${file} cannot be read: ${why}`, { cause });
  if (secret === undefined) throw unreadable(`its key ${file}.key is missing`);
  return lines.flatMap((line, i) => {
    if (line.endsWith(unfinished)) return [];
    let record: ErasureRecord | undefined;
    try {
      record = readRecord(line, secret);
    } catch (cause) {
      throw unreadable(`line ${i + 1} was encrypted with another key`, cause);
    }
    if (record === undefined) throw unreadable(`line ${i + 1} is damaged`);
    return [record];
  });
}

async function append(file: string, text: string): Promise<void> {
  const handle = await open(file, 'a+', 0o600);
  try {
    const { size } = await handle.stat();
    // One write, so that two commands never mix their lines.
    const isWhole = size === 0 || (await lastByte(handle, size)) === 0x0a;
    await handle.appendFile(isWhole ? text : `${unfinished}\n${text}`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(file);
}

/** Makes the key at the first erasure. If several processes do, all use the same one. */
async function keptKey(path: string): Promise<string> {
  const known = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (known !== undefined) return known;
  const made = `${path}.${randomUUID()}`;
  const handle = await open(made, 'wx', 0o600);
  try {
    await handle.writeFile(randomBytes(32).toString('base64'));
    await handle.sync();
  } finally {
    await handle.close();
  }
  // Unlike a renamed file, a linked one never replaces that of another process.
  await link(made, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(made);
  await syncFolder(path);
  return readFile(path, 'utf8');
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

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
