/** Which files clients may choose from: a bounded look into configured directories. */
import { type Dirent, promises } from 'node:fs';
import { join } from 'node:path';
import { fileUnder } from './roots.js';

export interface ListOptions {
  /** How the names end, `.d4`. */
  ending: string;
  /** Files returned at most. */
  most: number;
  /** Entries of directories that are looked at, at most, whatever they are. */
  entries: number;
}

export interface FileList {
  /** Relative to the directory they are in, in the order of their names. `fileUnder` finds each of them. */
  paths: string[];
  /** Whether there may be more. */
  isCut: boolean;
}

/** Files whose paths are resolved at once: the file system has other work to do, too. */
const resolvedAtOnce = 16;

const inOrder = new Intl.Collator('en', { numeric: true }).compare;

/**
 * The readable files under the directories, those nearest to their top first if there are too many entries. Hidden files
 * and directories are left out, links to directories are not followed, and links to files are listed only if they stay
 * within their directory. What cannot be read is left out.
 */
export async function filesUnder(roots: readonly string[], { ending, most, entries }: ListOptions): Promise<FileList> {
  const folders = roots.map((root) => ({ root, folder: '' }));
  const found = new Set<string>();
  let left = entries;
  for (const { root, folder } of folders) {
    for await (const entry of entriesOf(join(root, folder))) {
      if (left === 0) return { paths: (await offered(roots, found, most)).paths, isCut: true };
      left -= 1;
      if (!isListable(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push({ root, folder: path });
      else if (entry.name.endsWith(ending) && (entry.isFile() || entry.isSymbolicLink())) found.add(path);
    }
  }
  return offered(roots, found, most);
}

/** Names that a field of a form gives back as they are: without line breaks, and blanks at neither end. */
function isListable(name: string): boolean {
  return !name.startsWith('.') && !/[\p{Cc}\u2028\u2029]/u.test(name) && name.trim() === name;
}

async function* entriesOf(path: string): AsyncGenerator<Dirent> {
  try {
    yield* await promises.opendir(path, { bufferSize: 256 });
  } catch (error) {
    // It cannot be read, or was removed while it was looked at.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  }
}

/** Those of the found paths that may be named, which is decided where every other path is. */
async function offered(roots: readonly string[], found: ReadonlySet<string>, most: number): Promise<FileList> {
  const sorted = [...found].sort(inOrder);
  const paths: string[] = [];
  let at = 0;
  while (at < sorted.length && paths.length < most) {
    const some = sorted.slice(at, at + resolvedAtOnce);
    at += some.length;
    const real = await Promise.all(some.map((path) => fileUnder(roots, path)));
    paths.push(...some.filter((_, i) => real[i] !== undefined));
  }
  return { paths: paths.slice(0, most), isCut: at < sorted.length || paths.length > most };
}
