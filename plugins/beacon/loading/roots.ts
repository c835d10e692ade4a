/** VCF files of the server that requests name. */
import { Fault, openUnder } from '../../../core/plugin.js';
import { type Source, sourceOfFile } from '../vcf/source.js';

/** A file under one of the directories, opened; everything else is one and the same `unprocessable` fault. */
export async function openNamed(roots: readonly string[], path: string): Promise<Source> {
  const file = await openUnder(roots, path);
  if (file !== undefined) return sourceOfFile(file, path);
  throw new Fault('unprocessable', `VCF file was not found at the provided path:${path.slice(0, 300)}`);
}
