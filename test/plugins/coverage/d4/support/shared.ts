import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of real files beside the repository; tests that need it are skipped if it is missing. */
const folder = join(import.meta.dirname, '../../../../../../shared/data/coverage');

export function sharedFile(name: string): string | undefined {
  const path = join(folder, name);
  return existsSync(path) ? path : undefined;
}

/** One sample of chanjo2's demo: sparse, uncompressed, 388 partitions. */
export function demoFile(): string | undefined {
  return sharedFile('panelapp_109_example.d4');
}
