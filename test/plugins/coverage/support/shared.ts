/** The real files of ../shared/data/coverage: not part of the project, so tests are visibly skipped if they are missing. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('../../../../../shared/data/coverage/', import.meta.url);

export function dataFile(name: string): string {
  return fileURLToPath(new URL(name, folder));
}

export const dataFolder = fileURLToPath(folder);
/** One sample of chanjo2's demo: sparse, uncompressed, 388 partitions. */
export const demoD4 = dataFile('panelapp_109_example.d4');
export const demoBed = dataFile('109_green.bed');

/** Nothing if it is missing. */
export function sharedFile(name: string): string | undefined {
  const path = dataFile(name);
  return existsSync(path) ? path : undefined;
}

export function demoFile(): string | undefined {
  return existsSync(demoD4) ? demoD4 : undefined;
}

export function describeWithData(title: string, body: () => void): void {
  if (existsSync(dataFolder)) describe(title, body);
  else describe.skip(`${title} (../shared/data is absent)`, body);
}
