/** Lists the files that clients may choose from, with a bounded scan of configured directories. */
import { type Dirent, promises } from 'node:fs';
import { join } from 'node:path';
import { fileUnder } from './roots.js';

export interface ListOptions {
  /** Ending of the names, such as `.d4`. */
  ending: string;
  /** Maximum number of files to return. */
  most: number;
  /** Maximum number of directory entries, of any kind, to examine. */
  entries: number;
}

export interface FileList {
  /** Relative to their configured directory, sorted by name. `fileUnder` finds each of them. */
  paths: string[];
  /** Whether there may be more. */
  isCut: boolean;
}

/** Paths that are resolved concurrently: few, because the file system has other work to do, too. */
const resolvedAtOnce = 16;

const inOrder = new Intl.Collator('en', { numeric: true }).compare;

/**
 * Returns the readable files under the directories; if there are too many entries, those nearest to the top. Omits
 * hidden files and directories, and whatever cannot be read. Does not follow links to directories, and lists links to
 * files only if they stay within their directory.
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

/** Whether a name is not hidden and a form field returns it unchanged: no line breaks, no blanks at either end. */
function isListable(name: string): boolean {
  return !name.startsWith('.') && !/[\p{Cc}\u2028\u2029]/u.test(name) && name.trim() === name;
}

async function* entriesOf(path: string): AsyncGenerator<Dirent> {
  try {
    yield* await promises.opendir(path, { bufferSize: 256 });
  } catch (error) {
    // The directory cannot be read, or was removed during the scan.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  }
}

/** Returns those of the found paths that `fileUnder` accepts, sorted by name. */
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
