/** Whether other users of the machine can read the database. */
import { stat } from 'node:fs/promises';
import { inMemory } from './prepare.js';

/** A sentence for each file of the database, its logs included, that every user of the machine can read or write. */
export async function readableFiles(file: string): Promise<string[]> {
  // Modes mean nothing on Windows.
  if (file === inMemory || process.platform === 'win32') return [];
  const sentences: string[] = [];
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    const mode = (await stat(path).catch(() => undefined))?.mode ?? 0;
    if ((mode & 0o006) === 0) continue;
    const octal = (mode & 0o777).toString(8).padStart(4, '0');
    sentences.push(
      `file: every user of this machine can read ${path} (mode ${octal}); chmod 600 restricts it to its owner`,
    );
  }
  return sentences;
}
