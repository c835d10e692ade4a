/** The files of the server that HTTP clients may name: regular, readable ones under configured directories. */
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { z } from 'zod';

const directories = z.array(
  z.string().refine(isAbsolute, 'a directory is written from the root on, such as /srv/data'),
);

/** The setting that names such directories: a list, or a text separated by colons; none if omitted. */
export const directoriesSetting = z
  .union([
    z
      .string()
      .transform((text) => text.split(':').filter((part) => part !== ''))
      .pipe(directories),
    directories,
  ])
  .default([]);

/** Returns a sentence for each configured path that is not a readable directory; for a plugin's `advice`. */
export async function directoryAdvice(setting: string, directories: readonly string[]): Promise<string[]> {
  const found = await Promise.all(directories.map((directory) => directoryFault(directory)));
  return directories.flatMap((directory, i) =>
    found[i] === undefined ? [] : [`${setting}: ${directory} ${found[i]}: no file in it can be read`],
  );
}

async function directoryFault(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isDirectory()) return 'is not a directory';
    await access(path, constants.R_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read';
  }
}

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
