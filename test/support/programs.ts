/** Programs of the machine that some tests need. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The folders in which programs are looked for. */
export const programFolders: readonly string[] = (process.env.PATH ?? '').split(delimiter);

export function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function isInstalled(program: string): boolean {
  return programFolders.some((folder) => canRun(join(folder, program)));
}
