/**
 * The files of the server that clients may name: regular, readable ones under configured directories. They are opened without
 * blocking and listed with a bounded scan; the decisive checks use the descriptor through which the file is then read.
 */
import {
  close as closeFile,
  constants,
  createReadStream,
  type Dirent,
  fstat,
  open,
  promises,
  type ReadStream,
  type Stats,
} from 'node:fs';
import { access, readlink, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';

/**
 * Returns the current real path of a file under one of the directories, with links followed; a relative path is tried
 * in each of them. Returns undefined if the file does not exist, cannot be read or is elsewhere. Paths outside the
 * directories are not looked up, so that neither the result nor its timing reveals what else the server has. To read
 * the file, open it with `openUnder`, because the path may lead elsewhere by then. Files that are really in one of the
 * directories `except` are elsewhere.
 */
export async function fileUnder(
  roots: readonly string[],
  path: string,
  except: readonly string[] = [],
): Promise<string | undefined> {
  for (const { root, named } of namedUnder(roots, path)) {
    const real = await readable(root, named, except).catch(() => undefined);
    if (real !== undefined) return real;
  }
  return undefined;
}

/** Resolves a path in each of the directories, and drops results outside of them. Compares text only. */
export function namedUnder(roots: readonly string[], path: string): { root: string; named: string }[] {
  if (path.includes('\0')) return [];
  return roots.map((root) => ({ root, named: resolve(root, path) })).filter(({ root, named }) => isWithin(root, named));
}

async function readable(root: string, path: string, except: readonly string[]): Promise<string | undefined> {
  const [directory, file] = await Promise.all([realpath(root), realpath(path)]);
  const excepted = await Promise.all(except.map((one) => realpath(one).catch(() => one)));
  if (!isWithin(directory, file) || excepted.some((one) => isWithin(one, file))) return undefined;
  if (!(await stat(file)).isFile()) return undefined;
  await access(file, constants.R_OK);
  return file;
}

/** Whether a path is inside a directory. Compares text only. */
export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Whether a path is a directory or inside it. Compares text only. */
export function isSameOrWithin(root: string, path: string): boolean {
  return relative(root, path) === '' || isWithin(root, path);
}

// Files that clients name.

// Opens files that clients name: without blocking, and only under the directories. The decisive checks use the
// descriptor through which the file is then read, so that changes to the path in between do not matter.

/** A regular file that is open for reading. */
export interface OpenFile {
  /** Closed by the caller, or by the stream that reads it. */
  fd: number;
  /** Bytes. */
  size: number;
}

// A pipe would wait for a writer, a terminal or a tape for its device. The last part of a real path is not a link.
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Where Linux lists the targets of this process's descriptors; tests name a folder that does not exist. */
const ofThisProcess = '/proc/self/fd';

const openPath = promisify(open);
const statOf = promisify(fstat);
const closeOpen = promisify(closeFile);

/** Which part of a directory is meant. */
interface OpenFileOptions {
  /** Directories below it whose files are not meant, whatever links lead to them. */
  except?: readonly string[];
  descriptors?: string | undefined;
}

/**
 * Opens a file by its path, absolute or relative to one of the directories. Returns undefined in every other
 * case: the file does not exist, cannot be read, is not a regular file or is outside the directories.
 */
export async function openUnder(
  roots: readonly string[],
  path: string,
  options: OpenFileOptions = {},
): Promise<OpenFile | undefined> {
  for (const { root, named } of namedUnder(roots, path)) {
    const found = await realpath(named).then(
      (real) => openIn(root, real, options),
      () => undefined,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The same for a real path from `fileUnder`, whose text need not begin with a configured directory. A path in one of the
 * `divisions`, directories below the others, is opened only if the file is in that one, or in the innermost of several.
 */
export async function openFound(
  roots: readonly string[],
  path: string,
  divisions: readonly string[] = [],
): Promise<OpenFile | undefined> {
  const division = await innermost(divisions, path);
  for (const root of division === undefined ? roots : [division]) {
    const found = await openIn(root, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The real path of the longest of these directories that the path is in. */
async function innermost(directories: readonly string[], path: string): Promise<string | undefined> {
  const real = await Promise.all(directories.map((one) => realpath(one).catch(() => undefined)));
  const around = real.filter((one) => one !== undefined && isWithin(one, path));
  return around.sort((a = '', b = '') => b.length - a.length)[0];
}

/** Opens a regular file that only the server itself names, such as an upload. Throws errors of the file system. */
export async function openRegular(path: string): Promise<OpenFile> {
  const found = await opened(path, async () => true);
  if (found === undefined) throw Object.assign(new Error('not a regular file'), { code: 'EINVAL', syscall: 'open' });
  return found;
}

/** Returns all bytes of an open file, as a stream that closes it. */
export function readOpen({ fd }: OpenFile, options: { highWaterMark: number }): ReadStream {
  return createReadStream('', { ...options, fd, start: 0 });
}

export async function closeOpenFile({ fd }: OpenFile): Promise<void> {
  await closeOpen(fd);
}

async function openIn(root: string, real: string, options: OpenFileOptions = {}): Promise<OpenFile | undefined> {
  const { except = [], descriptors = ofThisProcess } = options;
  try {
    const directory = await realpath(root);
    const excepted = await Promise.all(except.map((one) => realpath(one).catch(() => one)));
    const isMeant = (path: string) => isWithin(directory, path) && !excepted.some((one) => isWithin(one, path));
    // Checked first, so that no file outside is even opened unless folders are swapped in between.
    if (!isMeant(real)) return undefined;
    return await opened(real, (fd, status) => isOpened(isMeant, real, { fd, status, descriptors }));
  } catch {
    return undefined; // missing or unreadable: the client must not learn which
  }
}

async function opened(
  path: string,
  accept: (fd: number, status: Stats) => Promise<boolean>,
): Promise<OpenFile | undefined> {
  const fd = await openPath(path, flags);
  try {
    const status = await statOf(fd);
    if (status.isFile() && (await accept(fd, status))) return { fd, size: status.size };
  } catch (error) {
    await closeOpen(fd);
    throw error;
  }
  await closeOpen(fd);
  return undefined;
}

interface OpenedFile {
  fd: number;
  status: Stats;
  descriptors: string;
}

/** Whether the opened file is where one is meant to be. */
async function isOpened(isMeant: (path: string) => boolean, path: string, opened: OpenedFile): Promise<boolean> {
  const { fd, status, descriptors } = opened;
  // Linux provides the path of a descriptor.
  const real = await readlink(join(descriptors, String(fd))).catch(() => undefined);
  if (real !== undefined) return isMeant(real);
  // On other systems the best possible check is that the path now leads to the very file that was opened.
  const now = await realpath(path);
  const there = await stat(now);
  return isMeant(now) && there.dev === status.dev && there.ino === status.ino;
}

// Lists the files that clients may choose from, with a bounded scan of configured directories.

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
  const sorted = [...found].sort(new Intl.Collator('en', { numeric: true }).compare);
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
