/** The real files of ../shared/data/beacon: not part of the project, so tests are skipped if they are missing. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../../../shared/data/beacon/', import.meta.url));

export function shared(name: string): string {
  return `${folder}${name}`;
}

/** `describe`, or a visible skip if the folder is missing. */
export function describeWithShared(title: string, body: () => void): void {
  if (existsSync(folder)) describe(title, body);
  else describe.skip(`${title} (../shared/data is absent)`, body);
}
