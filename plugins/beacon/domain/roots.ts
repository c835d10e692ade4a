/** Which files of the server may be loaded by those who ask over HTTP: regular ones under configured directories. */
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { Fault } from '../../../core/plugin.js';

/**
 * The real path of a file that lies under one of the directories, links followed; relative paths are looked for in each
 * of them. Throws one and the same `unprocessable` fault where there is none, it cannot be read, or it lies elsewhere:
 * nobody learns by it what else the server has.
 */
export async function locate(roots: readonly string[], path: string): Promise<string> {
  for (const root of roots) {
    const named = resolve(root, path);
    const real = isWithin(root, named) && (await readable(root, named).catch(() => undefined));
    if (real) return real;
  }
  throw new Fault('unprocessable', `VCF file was not found at the provided path:${path.slice(0, 300)}`);
}

async function readable(root: string, path: string): Promise<string | undefined> {
  const [directory, file] = await Promise.all([realpath(root), realpath(path)]);
  if (!isWithin(directory, file) || !(await stat(file)).isFile()) return undefined;
  await access(file, constants.R_OK);
  return file;
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
