/** Opens a VCF that a request names. */
import { openUnder, type Source, sourceOfFile } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';

/**
 * Opens a file under one of the directories. Any other path is the same `unprocessable` fault, whether or not it
 * exists.
 */
export async function openNamed(roots: readonly string[], path: string): Promise<Source> {
  const file = await openUnder(roots, path);
  if (file !== undefined) return sourceOfFile(file, path);
  throw new Fault('unprocessable', `VCF file was not found at the provided path:${path.slice(0, 300)}`);
}
