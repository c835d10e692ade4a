/** The setting that names directories of files, and advice on those that cannot be read. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
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
