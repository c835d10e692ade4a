/**
 * The list of erasures: a file outside the database, so that a database that was restored from an older backup can be made to
 * agree with it. Lines are only ever added, and an erasure is on it before anything is erased. The key file and the database
 * know its last line, so that a list that lost lines is not taken for a shorter one.
 */
import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault } from '../fault.js';
import { step } from '../step.js';
import type { ErasureMemory } from './contract.js';
import { jobRevision } from './erasure.js';
import {
  append,
  type ClaimedAddition,
  claim,
  claimsOfFile,
  keptKey,
  type ListState,
  lostFrom,
  noteInKey,
  readIfThere,
  readKey,
  readList,
} from './file.js';
import {
  digestOfBytes,
  type ErasureRecord,
  type ListEnd,
  ListKey,
  readLine,
  writeAcceptance,
  writeRecords,
} from './record.js';

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
   * of people who were erased after `since`, when the data was requested or began to be read, or while the background job of
   * this id was waiting. Throws an `unavailable` fault if the list cannot be read.
   */
  barred(
    what: 'sample' | 'patient',
    ids: readonly string[],
    since: Date,
    job?: string,
  ): Promise<ReadonlyMap<string, Barred>>;
  /** The ids of all people who object to sharing, without blanks around them. */
  objecting(what: 'sample' | 'patient'): Promise<ReadonlySet<string>>;
}

export interface ErasureList extends Erasures {
  /** Undefined if the configuration has no place for it: it is then empty. */
  readonly file: string | undefined;
  /** Oldest first. Throws an `unavailable` fault if the list cannot be read, or is not all that is known of it. */
  records(): Promise<readonly ErasureRecord[]>;
  /** Its last line; throws as `records`. */
  end(): Promise<ListEnd>;
  /**
   * Resolves once the records survive a power cut, and returns the end of the list with them. Throws an `unavailable` fault if
   * they cannot be written, or the list cannot be relied on.
   */
  add(records: readonly ErasureRecord[]): Promise<ListEnd>;
  /** The list as it is, even if it cannot be relied on, with what the key file and the storage know of it. */
  look(): Promise<ListState & { known: number }>;
  /** Completes what killed processes began to add, and notes in the key file and the storage how far the list goes. */
  settle(): Promise<void>;
  /** Accepts the list as it is, with a line of a number above `beyond` and all that is known. */
  accept(at: Date, beyond: number): Promise<ListEnd>;
}

export interface ErasureListOptions {
  file: string | undefined;
  /** The configured key; one beside the file if undefined. */
  key: string | undefined;
  /** Whether the folder of the file must exist: a missing one is a volume that is not mounted. */
  isNamed: boolean;
  /** Where the storage knows the end of the list; omitted if it is not asked. */
  memory?(): Promise<ErasureMemory>;
  /** If there is no place for a list: whether the storage knows of one. Omitted if it is not asked. */
  hadList?(): Promise<boolean>;
}

/** The fault of a storage that knows of a list, if there is no place for one. */
export function placeless(): Fault {
  return new Fault('unavailable', 'There were erasures, but no place of their list is configured: set erasures.file');
}

/** The fault of a list that lost lines, or has other ones. */
export function unreliableList(file: string, why: string): Fault {
  return new Fault(
    'unavailable',
    `The list of erasures ${file} cannot be relied on: ${why}. Restore the list, or accept it as it is with \`trefoil erasures accept\``,
  );
}

export function createErasureList({
  file,
  key: configured,
  isNamed,
  memory,
  hadList,
}: ErasureListOptions): ErasureList {
  let known: { version: string; content: ListContent } | undefined;
  /** The highest number that this process has read. */
  let highest = 0;
  let isConfirmed = false;

  async function keyOf(path: string): Promise<ListKey | undefined> {
    const secret = configured ?? (await readKey(`${path}.key`))?.secret;
    return secret === undefined ? undefined : new ListKey(secret);
  }

  async function look(path: string, isAsked = true): Promise<ListState & { known: number }> {
    // What is known comes first: the list may grow meanwhile, and the others follow it.
    const noted = isAsked ? await (await memory?.())?.known() : undefined;
    const kept = configured === undefined ? await readKey(`${path}.key`) : undefined;
    const key = await keyOf(path);
    const bytes = (await readIfThere(path)) ?? Buffer.alloc(0);
    const found = readList(bytes, key);
    const isLost = kept !== undefined && kept.known === undefined && found.end.number === 0;
    const problem =
      (found.unreadable > 0 && key === undefined ? `its key ${path}.key is missing` : found.problem) ??
      (isLost ? `it is missing or empty, but its key ${path}.key was made at an erasure` : undefined) ??
      (kept?.known && lostFrom(found, kept.known, 'its key file knows')) ??
      (noted && lostFrom(found, noted, 'the database knows')) ??
      (found.end.number < highest
        ? `it ends after line ${found.end.number}, but this process has read line ${highest}`
        : undefined);
    const most = Math.max(found.end.number, kept?.known?.number ?? 0, noted?.number ?? 0, highest);
    return { ...found, ...(problem !== undefined && { problem }), known: most };
  }

  /** Throws for a list that cannot be read, such as one whose volume is not mounted. */
  async function reachable<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
    try {
      if (isNamed) await stat(dirname(path));
      return await work();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined || error instanceof Fault) throw error;
      throw new Fault('unavailable', `The list of erasures ${path} cannot be read (${code})`, { cause: error });
    }
  }

  async function content(): Promise<ListContent> {
    if (file === undefined) {
      isConfirmed ||= (await hadList?.()) !== true;
      if (!isConfirmed) throw placeless();
      return emptyList;
    }
    return reachable(file, async () => {
      const version = await versionOf(file);
      if (known?.version === version && isConfirmed) return known.content;
      // The storage once: the caller may be within a transaction, and later this process itself knows how far the list went.
      const found = await look(file, !isConfirmed);
      if (found.problem !== undefined) throw unreliableList(file, found.problem);
      [highest, isConfirmed] = [found.end.number, true];
      known = { version, content: contentOf(found) };
      return known.content;
    });
  }

  /**
   * Adds lines, or only completes what others began. A process first claims the number of its first line by a file with all of
   * its lines; then these are added to the list, by the first process that comes. So lines of several processes never share a
   * number, and a process that was killed holds up no other.
   */
  async function commit(
    path: string,
    isAccepted: boolean,
    make?: (found: ListState & { known: number }, key: ListKey) => ListAddition,
  ): Promise<ListEnd> {
    try {
      if (!isNamed) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const key = new ListKey(configured ?? (await keptKey(`${path}.key`)));
      for (let mine: ListEnd | undefined; ; ) {
        // Before the list: a claim that is completed meanwhile is then seen to be.
        const claims = await claimsOfFile(path);
        const found = await look(path);
        if (found.problem !== undefined && !isAccepted) throw unreliableList(path, found.problem);
        const open = claims.map((one) => restOf(one, found, key)).find((rest) => rest !== undefined);
        const isDone =
          mine === undefined ? make === undefined && open === undefined : found.codes.get(mine.number) === mine.code;
        if (isDone) {
          await noteInKey(`${path}.key`, found.end);
          step('core.list.noted');
          for (const one of claims) if (restOf(one, found, key) === undefined) await rm(one.path, { force: true });
          await (await memory?.())?.note(found.end);
          known = undefined;
          return mine ?? found.end;
        }
        if (open !== undefined) {
          await append(path, open);
          step('core.list.appended');
          continue;
        }
        if (make === undefined) continue;
        for (const one of claims) await rm(one.path, { force: true });
        const { text, end } = make(found, key);
        if (await claim(path, found.end.number + 1, text)) mine = end;
        step('core.list.claimed');
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined || error instanceof Fault) throw error;
      throw new Fault('unavailable', `The list of erasures ${path} cannot be written (${code})`, { cause: error });
    }
  }

  return {
    file,
    records: async () => (await content()).records,
    end: async () => (await content()).end,
    async add(records) {
      if (file === undefined || records.length === 0) return { number: 0, code: '' };
      // A list that cannot be read must not grow.
      await content();
      return commit(file, false, (found, key) => {
        if (found.isPlain) throw new Fault('internal', 'A list of erasures of 0.2 is taken over before it grows');
        const { lines, end } = writeRecords(records, found.end, key);
        return { text: lines.map((line) => `${line}\n`).join(''), end };
      });
    },
    look: async () =>
      file === undefined ? { ...readList(Buffer.alloc(0), undefined), known: 0 } : reachable(file, () => look(file)),
    async settle() {
      if (file === undefined) return;
      await reachable(file, async () => {
        const isThere = (await versionOf(file)) !== 'missing' || (await readKey(`${file}.key`)) !== undefined;
        if (isThere) await commit(file, false);
      });
    },
    async accept(at, beyond) {
      if (file === undefined) return { number: 0, code: '' };
      return reachable(file, () =>
        commit(file, true, (found, key) => {
          const { line, end } = writeAcceptance(Math.max(found.known, beyond) + 1, at, found.bytes, key);
          return { text: `${line}\n`, end };
        }),
      );
    },
    async barred(what, ids, since, job) {
      const { [what]: standing, revisions } = await content();
      const found = new Map<string, Barred>();
      for (const id of ids) {
        const person = id.trim();
        const [objected, gone] = [standing.objections.get(person), standing.erased.get(person)];
        if (objected) found.set(id, { reason: 'objection', at: objected });
        else if (gone && (gone > since || (job !== undefined && revisions.has(jobRevision(job))))) {
          found.set(id, { reason: 'erasure', at: gone });
        }
      }
      return found;
    },
    objecting: async (what) => new Set((await content())[what].objections.keys()),
  };
}

interface ListAddition {
  text: string;
  end: ListEnd;
}

/** What of a claim is not on the list yet; undefined if all of it is, or it does not fit the list any more. */
function restOf(
  { text }: Pick<ClaimedAddition, 'text'>,
  { end, codes, bytes }: ListState,
  key: ListKey,
): string | undefined {
  let [rest, at] = ['', undefined as ListEnd | undefined];
  for (const line of text.split('\n').slice(0, -1)) {
    const read = readLine(line, key);
    if (typeof read === 'string' || read.form === 'plain') return undefined;
    if (read.end.number <= end.number) {
      if (codes.get(read.end.number) !== read.end.code) return undefined;
    } else {
      if (read.form === 'accepted' && read.covers !== digestOfBytes(bytes)) return undefined;
      const before = at ?? end;
      if (read.form === 'chained' && (read.end.number !== before.number + 1 || read.previous !== before.code))
        return undefined;
      rest += `${line}\n`;
      at = read.end;
    }
  }
  return rest === '' ? undefined : rest;
}

interface ListContent {
  end: ListEnd;
  records: readonly ErasureRecord[];
  /** Of all erasures. */
  revisions: ReadonlySet<string>;
  sample: ErasureDates;
  patient: ErasureDates;
}

/** When each id, without blanks around it, was erased last, and since when it objects. */
interface ErasureDates {
  erased: ReadonlyMap<string, Date>;
  objections: ReadonlyMap<string, Date>;
}

const emptyList: ListContent = contentOf({ records: [], end: { number: 0, code: '' } });

function contentOf({ records, end }: Pick<ListState, 'records' | 'end'>): ListContent {
  const revisions = new Set(records.flatMap((one) => one.revisions ?? []));
  return {
    records,
    end,
    revisions,
    sample: erasureDates(records, 'sample'),
    patient: erasureDates(records, 'patient'),
  };
}

function erasureDates(records: readonly ErasureRecord[], what: 'sample' | 'patient'): ErasureDates {
  const [erased, objections] = [new Map<string, Date>(), new Map<string, Date>()];
  for (const { at, does, erasure } of records) {
    const { names, holder, scope } = erasure;
    const id = erasure.id.trim();
    if ((names !== undefined && names !== what) || typeof holder === 'object') continue;
    if (does === 'permit') objections.delete(id);
    else if (scope === 'sharing') objections.set(id, objections.get(id) ?? at);
    else if ((erased.get(id) ?? at) <= at) erased.set(id, at);
  }
  return { erased, objections };
}

async function versionOf(file: string): Promise<string> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    return undefined;
  });
  return found === undefined ? 'missing' : `${found.ino} ${found.size} ${found.mtimeMs}`;
}
